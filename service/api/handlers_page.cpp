#include <algorithm>

#include "service/api/dashboard.hpp"
#include "service/api/handlers.hpp"

namespace saccade::service {

Response handle_page(ServiceModel& model, const Call&) {
  const PageOf wanted = model.fleet() != nullptr ? PageOf::planner : PageOf::box;
  const auto& files = dashboard_files();
  const auto page = std::find_if(files.begin(), files.end(), [&](const DashboardFile& file) {
    return file.name.empty() && file.of == wanted;
  });
  return dashboard_response(static_cast<std::size_t>(page - files.begin()));
}

// The page may load and ask nothing but this service, and nobody may put it into a frame of theirs.
Response dashboard_response(std::size_t file) {
  const DashboardFile& found = dashboard_files().at(file);
  Response response{200, std::string(found.type)};
  response.headers = {{"Cache-Control", "no-cache"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Content-Security-Policy",
                       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
                       "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"}};
  response.body = found.text;
  return response;
}

}  // namespace saccade::service
