def found_by_hypothesis(age):
    return age >= 18  # expect: killed


def given_as_example(age):
    return age >= 123_456_789  # expect: killed


def never_found(age):
    return age >= 987_654_321_987  # expect: not-infected


def not_looked_at(age):
    return age >= 18  # expect: survived


class Counter:
    def __init__(self):
        self.count = 0

    def add(self):
        if self.count >= 2:  # expect: killed
            return
        self.count += 1
