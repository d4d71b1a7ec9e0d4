"""Starts a child that starts one itself."""

import subprocess
import sys


def main():
    module = sys.argv[1]
    options = {"env": {}} if module == "grandchild_in_clean_environment" else {}
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-m', 'ways.{module}', '18'], check=True, **{options})"
    subprocess.run([sys.executable, "-c", code], check=True, **options)


if __name__ == "__main__":
    main()
