import sys

from deep import adult

print(adult(int(sys.argv[1])), int(sys.argv[1]) >= 18)  # expect: killed
