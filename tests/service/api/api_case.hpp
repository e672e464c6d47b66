// Requests to the API as a function, for tests, over a service that has nothing behind it.
// Threads: one.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "service/api/api.hpp"
#include "tests/support/fake_service.hpp"

namespace saccade::service::testing {

class ApiTest : public ::testing::Test {
 protected:
  static Access loopback() { return {{"", "127.0.0.1", 8080}}; }

  static Request request(Method method, const std::string& target, const std::string& body = {}) {
    Request asked;
    asked.method = method;
    asked.target = target;
    asked.host = "localhost:8080";
    if (!body.empty()) asked.content_type = "application/json";
    asked.body = body;
    return asked;
  }
  // With what comes later, if that needs nobody else.
  Response ask(const Request& asked) {
    Response response = Api(service_, loopback()).handle(asked);
    if (response.worker != Response::Worker::texts) return response;
    const auto later = std::move(response.later);
    later([&response](const std::function<Response()>& make) { response = make(); });
    return response;
  }
  Response ask(Method method, const std::string& target, const std::string& body = {}) {
    return ask(request(method, target, body));
  }
  static std::string header(const Response& response, const std::string& name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return {};
  }

  test::FakeService service_;
};

}  // namespace saccade::service::testing
