"""A JSON-RPC server on its standard streams."""

import json
import sys


def answer(request):
    age = request["params"]["age"]
    if request["method"] == "adult":
        return age >= 18  # expect: killed
    return age >= 65  # expect: survived


def main():
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": answer(request)}), flush=True)


if __name__ == "__main__":
    main()
