#!/usr/bin/python3
"""Plays a network camera: an RTSP server with a moving picture at rtsp://127.0.0.1:PORT/cam.

    rtsp_camera.py [OPTION...] RATE WIDTH HEIGHT [PORT [USER PASSWORD]]

    --pictures PATTERN   PNG files of that size, shown one after the other without end, as /tmp/%05d.png; else a
                         ball that moves
    --codec h264|jpeg    H.264 with every tenth picture a key frame (the default), or Motion JPEG (sizes in multiples
                         of 16)
    --then WIDTHxHEIGHT  the size from the signal SIGUSR1 on, within the stream
    --file FILE.mkv      the H.265 in this file instead, as fast as it is read, to each connection from the beginning
    --tell-ends          prints "end: teardown" on standard error when a client says that it leaves, and "end: closed"
                         when its connection is gone
    --recorded           ten seconds of H.264 are encoded before the start and served over and over again, to each
                         connection from the beginning, so that serving costs next to nothing

PORT 0: one that is free. Prints "port PORT" on standard error once it can be reached. Needs Debian's python3-gi
and GStreamer (scripts/setup --test). Ends with the program that started it.
"""
import argparse
import os
import signal
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

RECORDED_SECONDS = 10

parser = argparse.ArgumentParser()
parser.add_argument("--pictures")
parser.add_argument("--codec", choices=["h264", "jpeg"], default="h264")
parser.add_argument("--then")
parser.add_argument("--file")
parser.add_argument("--tell-ends", action="store_true")
parser.add_argument("--recorded", action="store_true")
parser.add_argument("rate", type=int)
parser.add_argument("width", type=int)
parser.add_argument("height", type=int)
parser.add_argument("port", nargs="?", default="0")
parser.add_argument("credentials", nargs="*")
arguments = parser.parse_args()
if arguments.recorded and (arguments.pictures or arguments.then or arguments.codec != "h264"):
    parser.error("--recorded is a ball in H.264 of one size")
Gst.init(None)


def caps(width, height):
    """4:2:0, as cameras send; the encoders would take 4:4:4 otherwise."""
    return f"video/x-raw,format=I420,width={width},height={height},framerate={arguments.rate}/1"


def shown(live, count=-1):
    """The pictures, not encoded."""
    if arguments.pictures:
        rate = f"caps=image/png,framerate={arguments.rate}/1"
        return (f"multifilesrc location={arguments.pictures} loop=true {rate} ! pngdec ! videoconvert"
                " ! video/x-raw,format=I420")
    source = f"videotestsrc is-live={live} num-buffers={count} pattern=ball"
    return f"{source} ! capsfilter name=size caps={caps(arguments.width, arguments.height)}"


h264 = "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=10 threads=1"


def recording():
    """Ten seconds of the stream, picture by picture, and their format."""
    pipeline = Gst.parse_launch(
        f"{shown('false', RECORDED_SECONDS * arguments.rate)} ! {h264}"
        " ! video/x-h264,stream-format=byte-stream,alignment=au ! appsink name=end sync=false")
    end = pipeline.get_by_name("end")
    pipeline.set_state(Gst.State.PLAYING)
    pictures, form = [], None
    while (sample := end.emit("pull-sample")) is not None:
        buffer = sample.get_buffer()
        pictures.append(buffer.extract_dup(0, buffer.get_size()))
        form = sample.get_caps()
    pipeline.set_state(Gst.State.NULL)
    return pictures, form


def play(source, pictures, form):
    """Gives the source of a stream that starts the recording, whenever it wants a picture."""
    source.set_property("caps", form)
    given = 0

    def feed(element, _):
        nonlocal given
        buffer = Gst.Buffer.new_wrapped(pictures[given % len(pictures)])
        buffer.pts = buffer.dts = given * Gst.SECOND // arguments.rate
        buffer.duration = Gst.SECOND // arguments.rate
        given += 1
        element.emit("push-buffer", buffer)

    source.connect("need-data", feed)


server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service(arguments.port)
camera = GstRtspServer.RTSPMediaFactory()
if arguments.recorded:
    recorded = recording()
    camera.set_launch("( appsrc name=recording is-live=true format=time ! rtph264pay name=pay0 pt=96 )")
    camera.connect("media-configure",
                   lambda _, media: play(media.get_element().get_by_name("recording"), *recorded))
elif arguments.file:
    camera.set_launch(f"( filesrc location={arguments.file} ! matroskademux ! rtph265pay name=pay0 pt=96 )")
elif arguments.codec == "jpeg":
    camera.set_launch(f"( {shown('true')} ! jpegenc ! rtpjpegpay name=pay0 pt=26 )")
else:
    # In the stream, too, where the format may change in it.
    parameters = "config-interval=-1" if arguments.then else ""
    camera.set_launch(f"( {shown('true')} ! {h264} ! rtph264pay {parameters} name=pay0 pt=96 )")
camera.set_shared(not (arguments.recorded or arguments.file))  # only an encoder makes key frames on demand
if arguments.then:
    sizes = []  # of the streams that were started
    camera.connect("media-configure", lambda _, media: sizes.append(media.get_element().get_by_name("size")))

    def change_size():
        for size in sizes:
            size.set_property("caps", Gst.Caps.from_string(caps(*arguments.then.split("x"))))
        return True

    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, change_size)
if arguments.credentials:
    user, password = arguments.credentials
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
if arguments.tell_ends:
    def tell(what):
        print(f"end: {what}", file=sys.stderr, flush=True)

    def tell_ends(_, client):
        client.connect("teardown-request", lambda *_: tell("teardown"))
        client.connect("closed", lambda *_: tell("closed"))

    server.connect("client-connected", tell_ends)
server.get_mount_points().add_factory("/cam", camera)
if server.attach(None) == 0:
    sys.exit("the port is taken")
print(f"port {server.get_bound_port()}.", file=sys.stderr, flush=True)
loop = GLib.MainLoop()
parent = os.getppid()
GLib.timeout_add_seconds(1, lambda: os.getppid() == parent or loop.quit() or False)
loop.run()
