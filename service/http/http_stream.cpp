#include "service/http/http_stream.hpp"

#include <openssl/ssl.h>

#include <boost/asio/ssl/context.hpp>
#include <utility>

namespace saccade::service {
namespace {

namespace ssl = boost::asio::ssl;
using Failure = boost::system::error_code;

saccade::Error cannot(const std::string& file, const std::string& what, const Failure& failure) {
  return {file, "cannot be used as " + what + ": " + failure.message(), "a file in PEM form is needed"};
}

std::shared_ptr<ssl::context> context_of(ssl::context::method method) {
  auto context = std::make_shared<ssl::context>(method);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  // A client that renegotiates without end keeps the one thread of all connections busy.
  SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  return context;
}

}  // namespace

Result<std::shared_ptr<ssl::context>> server_tls(const config::TlsFiles& files) {
  auto context = context_of(ssl::context::tls_server);
  Failure failure;
  context->use_certificate_chain_file(files.certificate.string(), failure);
  if (failure) return cannot(files.certificate.string(), "the certificate", failure);
  context->use_private_key_file(files.key.string(), ssl::context::pem, failure);
  if (failure) return cannot(files.key.string(), "the key of the certificate", failure);
  return context;
}

Result<std::shared_ptr<ssl::context>> client_tls(const std::string& authorities) {
  auto context = context_of(ssl::context::tls_client);
  Failure failure;
  if (authorities.empty()) {
    context->set_default_verify_paths(failure);
  } else {
    context->load_verify_file(authorities, failure);
  }
  if (failure) return cannot(authorities, "the certificates that are trusted", failure);
  context->set_verify_mode(ssl::verify_peer, failure);
  return context;
}

void HttpStream::read_some(boost::asio::mutable_buffer into, Done done) {
  tls_ ? tls_->async_read_some(into, std::move(done)) : plain_.async_read_some(into, std::move(done));
}

void HttpStream::write_some(const Gathered& buffers, Done done) {
  tls_ ? tls_->async_write_some(buffers, std::move(done)) : plain_.async_write_some(buffers, std::move(done));
}

}  // namespace saccade::service
