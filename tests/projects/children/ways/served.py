def adult(age):
    return age >= 18  # expect: killed


def tell(answers, age):
    answers.put(adult(age))
