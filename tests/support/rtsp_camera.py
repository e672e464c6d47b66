#!/usr/bin/python3
"""Plays a network camera: an RTSP server with a moving picture in H.264 at rtsp://127.0.0.1:PORT/cam.

    rtsp_camera.py [--pictures PATTERN] RATE WIDTH HEIGHT [PORT [USER PASSWORD]]

PATTERN: of PNG files of that size, shown one after the other without end, as /tmp/%05d.png; else a ball that
moves. PORT 0: one that is free. Says "port PORT" on standard error once it can be reached. Needs Debian's python3-gi
and GStreamer (scripts/setup --test). Ends with the program that started it.
"""
import os
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

arguments = sys.argv[1:]
ball = "videotestsrc is-live=true pattern=ball ! video/x-raw,width={1},height={2},framerate={0}/1"
pictures = 'multifilesrc location={3} loop=true caps="image/png,framerate={0}/1" ! pngdec ! videoconvert'
pattern = None
if arguments[0] == "--pictures":
    pattern, arguments = arguments[1], arguments[2:]
rate, width, height = arguments[:3]
port = arguments[3] if len(arguments) > 3 else "0"
Gst.init(None)
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service(port)
camera = GstRtspServer.RTSPMediaFactory()
shown = (pictures if pattern else ball).format(rate, width, height, pattern)
camera.set_launch(
    f"( {shown} ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=10 threads=1"
    " ! rtph264pay name=pay0 pt=96 )")
camera.set_shared(True)
if len(arguments) > 5:
    user, password = arguments[4:6]
    auth = GstRtspServer.RTSPAuth()
    token = GstRtspServer.RTSPToken()
    token.set_string("media.factory.role", "viewer")
    auth.set_supported_methods(GstRtsp.RTSPAuthMethod.DIGEST)
    auth.add_digest(user, password, token)
    server.set_auth(auth)
    permissions = GstRtspServer.RTSPPermissions()
    permissions.add_permission_for_role("viewer", "media.factory.access", True)
    permissions.add_permission_for_role("viewer", "media.factory.construct", True)
    camera.set_permissions(permissions)
server.get_mount_points().add_factory("/cam", camera)
if server.attach(None) == 0:
    sys.exit("the port is taken")
print(f"port {server.get_bound_port()}.", file=sys.stderr, flush=True)
loop = GLib.MainLoop()
parent = os.getppid()
GLib.timeout_add_seconds(1, lambda: os.getppid() == parent or loop.quit() or False)
loop.run()
