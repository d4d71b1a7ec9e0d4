def in_module(age):
    return age >= 18  # expect: killed


def in_package(age):
    return age >= 18  # expect: killed


def in_class(age):
    return age >= 18  # expect: killed


def in_session(age):
    return age >= 18  # expect: killed


def for_everything(age):
    return age >= 18  # expect: killed


def at_the_end(age):
    return age >= 18  # expect: killed


def by_request(age):
    return age >= 18  # expect: killed


def by_parameter(age):
    return age >= 18  # expect: killed


def chosen_anew(age):
    return age >= 18  # expect: killed


def not_looked_at(age):
    return age >= 18  # expect: survived


def in_setup_class(age):
    return age >= 18  # expect: killed


def in_setup_module(age):
    return age >= 18  # expect: killed


def in_session_start(age):
    return age >= 18  # expect: killed
