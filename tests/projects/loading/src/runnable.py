def adult(age):
    return age >= 18  # expect: killed


if __name__ == "__main__":
    import sys

    print(adult(int(sys.argv[1])))
    if int(sys.argv[1]) >= 18:  # expect: survived
        ANSWER = "grown"
