// Requests that are no reads: writes, which the engine's writer answers, and the service's own functions.

#include "net/impl/session_impl.hpp"
#include "net/impl/write.hpp"

namespace whence::net {

void Session::Impl::start_write(RunningPtr const& running, Request& request) {
  auto batch = request.write ? std::move(*request.write) : decode_write(request);
  if (!batch) return fail(running, batch.error());
  batch->actor = actor_;
  keep(running);
  service_.engine.submit(
      std::move(*batch), [self = weak_from_this(), link = link_, running](Result<engine::WriteAnswer> answer) {
        auto const kept = std::make_shared<Result<engine::WriteAnswer>>(std::move(answer));
        post_back(link, self, [running, kept](Impl& session) { session.finish_write(running, *kept); });
      });
}

void Session::Impl::finish_write(RunningPtr const& running, Result<engine::WriteAnswer> const& answer) {
  if (!answer) return fail(running, answer.error());
  std::string text;
  begin_result(text, running->id);
  write_answer(text, *answer);
  text.push_back('}');
  finish(running, std::move(text));
}

void Session::Impl::start_call(RunningPtr const& running, Request& request) {
  auto const answer = [&service = service_, method = running->method, params = std::move(request.params)] {
    return guarded([&] { return method->answer(service, params); });
  };
  if (running->method->kind == Kind::plain || may_block_) return finish_call(running, answer());
  keep(running);
  service_.pool.post([self = weak_from_this(), link = link_, running, answer] {
    auto const result = answer();
    post_back(link, self, [running, result](Impl& session) { session.finish_call(running, result); });
  });
}

void Session::Impl::finish_call(RunningPtr const& running, Result<std::string> const& result) {
  if (!result) return fail(running, result.error());
  std::string text;
  begin_result(text, running->id);
  text.append(*result).push_back('}');
  finish(running, std::move(text));
}

}  // namespace whence::net
