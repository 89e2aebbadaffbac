#include "net/http/openlineage_protocol.hpp"

#include "net/openlineage/request.hpp"
#include "net/state/service_state.hpp"

#include <string>
#include <utility>

namespace whence::net {

void OpenLineageProtocol::take(ServiceState& state, std::string_view body, Sender const& sender, MemoryClaim& /*held*/,
                               Done done) const {
  using boost::beast::http::status;
  auto const answer = [protocol = *this, done = std::move(done)](Result<std::string> summary) {
    if (summary) return done({.body = std::move(*summary)});
    auto const code = status_of(summary.error().code);
    done(protocol.refusal(code, openlineage::reason_of(summary.error()), code == status::service_unavailable));
  };
  if (is_batch_) {
    openlineage::submit_batch(state.openlineage, body, sender.name, answer, sender.client);
  } else {
    openlineage::submit_event(state.openlineage, body, sender.name, answer, sender.client);
  }
}

HttpAnswer OpenLineageProtocol::refusal(boost::beast::http::status status, std::string_view message, bool retry) const {
  auto answer = error_answer(status, message);
  if (retry) answer.fields.emplace_back(boost::beast::http::field::retry_after, "1");
  return answer;
}

}  // namespace whence::net
