#include "service/api/dashboard.hpp"
#include "service/api/handlers.hpp"

namespace saccade::service {

// The page may load and ask nothing but this service, and nobody may put it into a frame of theirs.
Response page_response(Page page) {
  Response response{200, "text/html; charset=utf-8"};
  response.headers = {{"Cache-Control", "no-cache"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Content-Security-Policy",
                       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
                       "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"}};
  switch (page) {
    case Page::dashboard:
      response.body = dashboard_page();
      break;
    case Page::style:
      response.content_type = "text/css; charset=utf-8";
      response.body = dashboard_style();
      break;
    case Page::script:
      response.content_type = "text/javascript; charset=utf-8";
      response.body = dashboard_script();
      break;
    case Page::sight:
      response.content_type = "text/javascript; charset=utf-8";
      response.body = dashboard_sight();
      break;
  }
  return response;
}

}  // namespace saccade::service
