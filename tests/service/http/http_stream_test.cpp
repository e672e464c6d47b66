// A connection of the API as Boost.Asio sees it.
#include <gtest/gtest.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "service/http/http_stream.hpp"

namespace saccade::service {
namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;

class HttpStreams : public testing::Test {
 protected:
  void SetUp() override {
    Local::socket near(context_);
    asio::local::connect_pair(near, far_);
    stream_.emplace(asio::generic::stream_protocol::socket(std::move(near)), nullptr);
  }

  asio::io_context context_;
  Local::socket far_{context_};
  std::optional<HttpStream> stream_;
};

// Written in parts, an answer waits 40 ms for the client to confirm the first.
TEST_F(HttpStreams, AllPiecesOfAnAnswerAreWrittenAtATime) {
  std::vector<std::string> pieces(40, "a piece of a header");
  pieces[3].clear();
  std::vector<asio::const_buffer> buffers;
  std::string all;
  for (const std::string& piece : pieces) {
    buffers.push_back(asio::buffer(piece));
    all += piece;
  }
  std::size_t written = 0;
  stream_->async_write_some(buffers, [&](const boost::system::error_code& failed, std::size_t bytes) {
    EXPECT_FALSE(failed);
    written = bytes;
  });
  context_.run();
  EXPECT_EQ(written, all.size());
  std::string seen(all.size(), ' ');
  asio::read(far_, asio::buffer(seen));
  EXPECT_EQ(seen, all);
}

TEST_F(HttpStreams, WhatIsReadGoesIntoTheFirstBufferWithRoom) {
  asio::write(far_, asio::buffer(std::string("hello")));
  std::array<char, 8> room{};
  const std::array<asio::mutable_buffer, 2> buffers = {asio::mutable_buffer(), asio::buffer(room)};
  std::size_t read = 0;
  stream_->async_read_some(buffers,
                           [&](const boost::system::error_code&, std::size_t bytes) { read = bytes; });
  context_.run();
  EXPECT_EQ(std::string(room.data(), read), "hello");
}

}  // namespace
}  // namespace saccade::service
