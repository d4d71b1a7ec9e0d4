import os
import urllib.request

import requests


def server():
    return os.environ["SHOP_SERVER"]


def path(age):
    return "/grown" if age >= 18 else "/young"  # expect: killed


def fetch(age):
    with urllib.request.urlopen(server() + path(age)) as answer:
        return answer.read().decode()


def twice(age):
    names = ["/grown", "/grown"] if age >= 18 else ["/grown", "/young"]  # expect: killed
    return [requests.get(server() + name).text for name in names]


def once(age):
    return requests.get(server() + ("/grown" if age >= 18 else "/young")).text  # expect: killed


def with_marker(age):
    return requests.get(server() + ("/grown" if age >= 18 else "/young")).text  # expect: killed


def in_temporary_folder(age):
    return requests.get(server() + ("/kept" if age >= 18 else "/not-kept")).text  # expect: survived


def shown(age):
    return {"grown": age >= 18}  # expect: killed


def written(age):
    return {"grown": age >= 18}  # expect: killed
