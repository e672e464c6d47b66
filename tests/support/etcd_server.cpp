#include "tests/support/etcd_server.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/free_port.hpp"

namespace saccade::test {
namespace {

constexpr const char* kEtcd = "/usr/bin/etcd";
constexpr const char* kEtcdControl = "/usr/bin/etcdctl";

}  // namespace

std::string no_etcd() {
  for (const char* program : {kEtcd, kEtcdControl}) {
    if (!std::filesystem::exists(program)) return std::string("needs ") + program + " (scripts/setup --test)";
  }
  return {};
}

EtcdServer::EtcdServer(std::vector<std::string> options)
    : options_(std::move(options)), port_(free_port()), peer_port_(free_port()) {
  tls_ = std::find(options_.begin(), options_.end(), "--cert-file") != options_.end();
}

std::string EtcdServer::url() const {
  return std::string(tls_ ? "https" : "http") + "://127.0.0.1:" + std::to_string(port_);
}

void EtcdServer::start() {
  const std::string peers = "http://127.0.0.1:" + std::to_string(peer_port_);
  // ETCD_UNSUPPORTED_ARCH: etcd 3.4 asks for it where it is not tested, and takes no notice elsewhere.
  std::vector<std::string> command = {"/usr/bin/env",
                                      "ETCD_UNSUPPORTED_ARCH=arm64",
                                      kEtcd,
                                      "--name",
                                      "one",
                                      "--logger",
                                      "zap",
                                      "--data-dir",
                                      (folder_ / "data").string(),
                                      "--listen-client-urls",
                                      url(),
                                      "--advertise-client-urls",
                                      url(),
                                      "--listen-peer-urls",
                                      peers,
                                      "--initial-advertise-peer-urls",
                                      peers,
                                      "--initial-cluster",
                                      "one=" + peers};
  command.insert(command.end(), options_.begin(), options_.end());
  process_ = std::make_unique<ChildProcess>(command, (folder_ / "etcd.out").string());
  process_->must_say(tls_ ? "serving client traffic securely" : "serving client traffic insecurely");
}

void EtcdServer::kill() {
  process_->signal(SIGKILL);
  process_->wait();
  process_.reset();
}

std::optional<std::string> EtcdServer::control(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {"/usr/bin/env", "ETCDCTL_API=3", kEtcdControl, "--endpoints", url(),
                                       "--dial-timeout", "5s"});
  const TemporaryFolder out;
  ChildProcess process(arguments, (out / "out").string());
  if (process.wait() != 0) return std::nullopt;
  std::ifstream file(out / "out");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace saccade::test
