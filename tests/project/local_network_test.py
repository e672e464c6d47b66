"""Links of scripts/local_network.py that are cut, slow, or lose packets: a datagram that arrives is counted. Exit 77 where
network namespaces, or what makes links worse, do not exist.
"""
import pathlib
import socket
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import local_network

PORT = 2379
AT_ONCE = 50  # that the receiver's buffer holds


class Links(unittest.TestCase):
    network = None

    @classmethod
    def setUpClass(cls):
        network = cls.network
        with network.inside("etcd-1"):
            cls.receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            cls.receiver.bind((network.on("store", "etcd-1"), PORT))
        with network.inside("box"):
            cls.sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            cls.sender.connect((network.on("store", "etcd-1"), PORT))
        cls.sender.send(b"who has this address?")
        cls.receiver.settimeout(10)
        cls.receiver.recv(100)

    @classmethod
    def tearDownClass(cls):
        cls.receiver.close()
        cls.sender.close()
        cls.network.stop()

    def arrived(self, count, size=100):
        found = 0
        self.receiver.settimeout(0.2)
        for _ in range(0, count, AT_ONCE):
            for _ in range(AT_ONCE):
                self.sender.send(bytes(size))
            try:
                for _ in range(AT_ONCE):
                    self.receiver.recv(2 * size)
                    found += 1
            except TimeoutError:
                pass  # the others are lost
        return found

    def test_are_whole_then_lossy_then_slow_then_cut(self):
        self.assertEqual(self.arrived(200), 200)
        self.network.lose("box", 0.5)
        self.assertTrue(350 < self.arrived(1000) < 650)
        self.network.repair("box")
        self.assertEqual(self.arrived(200), 200)
        self.network.slow("box", 64)
        found = self.arrived(AT_ONCE, 1000)  # all would take 6 s, of which half a second may wait
        self.assertTrue(0 < found < AT_ONCE)
        self.network.repair("box")
        self.assertEqual(self.arrived(200), 200)
        self.network.cut("box")
        try:
            found = self.arrived(AT_ONCE)
        except OSError:
            found = 0  # it has no carrier
        self.assertEqual(found, 0)


if __name__ == "__main__":
    try:
        local_network.isolate()
        Links.network = local_network.Namespaces(["etcd-1"], [], ["box"])
        if not Links.network.can_impair():
            raise local_network.Unavailable("links cannot be slow or lose packets here")
    except local_network.Unavailable as failure:
        print(failure)
        sys.exit(77)
    unittest.main()
