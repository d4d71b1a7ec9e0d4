from shop.settled import FULL

ANSWER = "full" if FULL else "empty"
