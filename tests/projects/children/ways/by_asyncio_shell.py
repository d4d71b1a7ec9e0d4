import sys


def adult(age):
    return age >= 18  # expect: killed


def main():
    print(adult(int(sys.argv[1])))


if __name__ == "__main__":
    main()
