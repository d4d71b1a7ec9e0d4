REGISTRY = {}


def register(size):
    def decorate(function):
        if size >= 18:  # expect: killed
            REGISTRY[function.__name__] = function
        return function

    return decorate


def counted(size):
    def decorate(function):
        function.large = size >= 18  # expect: survived
        return function

    return decorate


@register(18)
@counted(18)
def sell():
    return "sold"


def default(size, large=len("abc") >= 3):  # expect: killed
    return size if large else None
