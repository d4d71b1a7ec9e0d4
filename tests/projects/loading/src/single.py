def adult(age):
    return age >= 18  # expect: killed
