def table(sizes):
    return {size: size >= 18 for size in sizes}  # expect: killed


def unseen_table(sizes):
    return {size: size >= 18 for size in sizes}  # expect: survived


def later_too(size):
    return size >= 18  # expect: killed


GROWN = table([17, 18, 19])
FORGOTTEN = unseen_table([17, 18, 19])
EDGE = later_too(18)
