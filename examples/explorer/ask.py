"""Asks a Heddle that serves the explorer, as its page does, and prints the answer.

    python3 examples/explorer/ask.py '{"op":"size","args":["(4,8)"]}'

It starts `heddle explore`, which prints the page's address with a token; requests are JSON Lines,
as those of `heddle batch`, sent to /answer with the token in a header. --host, --token, --path and
--bytes send what the page would not.
"""

import argparse
import http.client
import os
import signal
import subprocess
import urllib.parse


def served(command):
    """The process that serves, with its address taken apart."""
    process = subprocess.Popen([command, "explore", "--no-browser"], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    address = urllib.parse.urlsplit(process.stdout.readline().strip())
    token = urllib.parse.parse_qs(address.query)["token"][0]
    return process, address.netloc, token


def asked(netloc, token, arguments):
    """The text that the server answers."""
    connection = http.client.HTTPConnection(netloc, timeout=300)
    headers = {"X-Heddle-Token": arguments.token or token, "Host": arguments.host or netloc}
    if arguments.path:
        connection.request("GET", arguments.path, headers=headers)
    else:
        body = "\n".join(arguments.request) + " " * arguments.bytes
        connection.request("POST", "/answer", body, headers)
    return connection.getresponse().read().decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("request", nargs="*", help="requests, as JSON")
    parser.add_argument("--host", help="the name under which the server is asked")
    parser.add_argument("--token", help="another token than the server's")
    parser.add_argument("--path", help="a file to get instead")
    parser.add_argument("--bytes", type=int, default=0, help="so many blanks more in the body")
    arguments = parser.parse_args()
    process, netloc, token = served(os.environ.get("HEDDLE", "heddle"))
    try:
        print(asked(netloc, token, arguments).rstrip())
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


if __name__ == "__main__":
    main()
