// Answers that say why there is none.

#include "net/pages/http_answer.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace whence::net {

HttpAnswer error_answer(boost::beast::http::status status, std::string_view message) {
  return {.status = status, .body = boost::json::serialize(boost::json::object{{"error", message}})};
}

}  // namespace whence::net
