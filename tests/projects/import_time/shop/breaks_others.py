SIZE = 18
if SIZE >= 18:  # expect: invalid
    def sell():
        return "sold"
