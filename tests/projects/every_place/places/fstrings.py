"""f-strings, whose inner places Python before 3.12 misreports."""

SIZE = 10


def plain(age):
    return f"{age >= 18}"  # expect: killed


def plain_far(age):
    return f"{age >= 18}"  # expect: not-infected


def plain_unasserted(age):
    return f"{age >= 18}"  # expect: survived


def with_text_around(age, name):
    return f"<{name.strip()}> is {'adult' if age >= 18 else 'child'}!"  # expect: killed, killed


def conversion(name):
    return f"{name.strip()!r:>8}"  # expect: killed


def self_documenting(age):
    return f"{age >= 18 = }"  # expect: ignored


def self_documenting_far(age):
    # the text before the `=` is the source of the expression, so that the mutant changes it even where the value is the same
    return f"{age >= 18 = }"  # expect: ignored


def nested_format_spec(text, wide):
    return f"{text.strip():{'>' if wide >= 3 else '<'}{wide}}"  # expect: killed, killed


def nested_quotes(ages):
    return f"{ages['ANN'.lower()]}" + f'{ages["ANN".lower()]}' + f"""{ages["ANN".lower()] + ages['ann'.lower()]}"""  # expect: killed, killed, killed, not-infected


def nested_fstring(age):
    return f"{f'{age >= 18}'} {f'{age < 65}'}"  # expect: killed, not-infected


def implicit_concatenation(age, name):
    return "a" f"{age >= 18}" "b" f"{name.strip()}"  # expect: killed, killed


def implicit_concatenation_over_lines(age, name):
    return (
        "text "
        f"{age >= 18} "  # expect: killed
        f"{name.strip()}"  # expect: killed
    )


def triple_quoted(age, name):
    return f"""
    {name.strip()}
        is {age >= 18}
    {
        name.lower()
    }"""  # expect[-4]: killed  # expect[-3]: killed  # expect[-1]: killed


def unicode_before(age):
    return "äöü€🎉", f"ß🎉{age >= 18}"  # expect: killed


def unicode_inside(name):
    return f"🎉{'é' + name.strip()}🎉"  # expect: killed


def escaped_braces(age):
    return f"{{{age >= 18}}} {{age >= 18}}"  # expect: killed


def raw(age):
    return rf"\d{age >= 18}\n"  # expect: killed


def lambda_inside(age):
    return f"{(lambda value: value >= 18)(age)}"  # expect: killed


def comprehension_inside(ages):
    return f"{[age for age in ages if age >= 18]}"  # expect: killed


def walrus_inside(age):
    return f"{(adult := age >= 18)}{adult}"  # expect: killed


def twice_the_same(age):
    return f"{age >= 18} {age >= 18}"  # expect: killed, killed


def call_on_fstring(name):
    return f"{name} ".strip()  # expect: killed


def compared_fstring(age):
    return f"{age >= 18}" == "True"  # expect: killed, killed


def format_call(name):
    return "{}".format(name.strip())  # expect: killed


def percent(name):
    return "%s" % name.strip()  # expect: killed


DEFAULT = f"{SIZE >= 10}"  # expect: killed
