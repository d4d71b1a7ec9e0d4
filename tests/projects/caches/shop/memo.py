import functools

_KNOWN = {}


@functools.lru_cache
def cached(age):
    return age >= 18  # expect: killed


@functools.cache
def unseen(age):
    return age >= 18  # expect: survived


def known(age):
    if age not in _KNOWN:
        _KNOWN[age] = age >= 18  # expect: killed
    return _KNOWN[age]


class Shop:
    grown = None
    ages = []

    @classmethod
    def learn(cls, age):
        if cls.grown is None:
            cls.grown = age >= 18  # expect: killed

    def add(self, age):
        self.ages.append(age >= 18)  # expect: killed

    @functools.cached_property
    def large(self):
        return len(self.ages) >= 1  # expect: killed


SHOP = Shop()


def generator():
    yield 18 if len("abc") >= 3 else 17  # expect: killed


ENDLESS = generator()
