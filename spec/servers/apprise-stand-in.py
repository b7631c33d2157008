"""Takes requests as the Apprise API does at /notify/KEY, and passes them to Apprise's library. Prints its port.

The configuration of each key is the url in the first argument.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

import apprise


class Api(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            given = json.loads(body)
            notifier = apprise.Apprise()
            notifier.add(sys.argv[1])
            done = notifier.notify(
                body=given["body"],
                title=given.get("title", ""),
                notify_type=given.get("type", "info"),
                body_format=given.get("format", "text"),
            )
            status, answer = (200, "sent") if done else (424, "not sent")
        except (KeyError, TypeError, ValueError) as error:
            status, answer = 400, repr(error)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Api)
print(server.server_port, flush=True)
server.serve_forever()
