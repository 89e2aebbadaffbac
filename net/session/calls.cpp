// Requests that are no reads: writes, which the engine's writer answers, and the service's own functions.

#include "net/params/params.hpp"
#include "net/session/session_state.hpp"

#include <memory>
#include <utility>

namespace whence::net {

void SessionState::start_write(RunningPtr const& running, Request& request) {
  if (!request.write) {
    Intake const intake{.engine = service_.engine};
    request.intake = &intake;
    request.write = std::make_unique<Result<WriteRequest>>(running->method->parse_write(request));
    request.intake = nullptr;
  }
  auto& write = *request.write;
  if (!write) return fail(running, write.error());
  keep(running);
  if (write->timeout) {
    auto ring = [self = weak_from_this(), link = link_, running](bool) {
      post_back(link, self, [running](SessionState& session) {
        session.fail(running, {.code = Errc::deadline_exceeded,
                               .message = "not written yet; it may still be",
                               .is_outcome_unknown = true});
      });
    };
    running->alarm = service_.alarms->set({.deadline = running->received + *write->timeout}, std::move(ring));
  }
  auto done = [self = weak_from_this(), link = link_, running](Result<engine::WriteAnswer> answer) {
    auto const kept = std::make_shared<Result<engine::WriteAnswer>>(std::move(answer));
    post_back(link, self, [running, kept](SessionState& session) { session.finish_write(running, *kept); });
  };
  if (!write->prepared) write->prepared = service_.engine.prepare(std::move(write->batch));
  schema::Author author{.actor = actor_, .who = grant_.name};
  service_.engine.submit(write->prepared, std::move(author), peer_,
                         [files = service_.files, done = std::move(done)](Result<engine::WriteAnswer> answer) {
                           files->follow(std::move(answer), done);
                         });
}

void SessionState::finish_write(RunningPtr const& running, Result<engine::WriteAnswer> const& answer) {
  if (running->is_done) return;
  if (!answer) return fail(running, answer.error());
  std::string text;
  begin_result(text, running->id);
  if (grant_.role == Role::admin) {
    running->method->write_answer(text, *answer);
  } else {  // that something was purged is told to whoever may purge
    auto told = *answer;
    std::erase_if(told.warnings, [](Violation const& warning) { return warning.rule == "purged"; });
    running->method->write_answer(text, told);
  }
  text.push_back('}');
  finish(running, std::move(text));
}

void SessionState::start_call(RunningPtr const& running, Request& request) {
  if (!request.duplicates.empty()) return fail(running, error_from(duplicate_violations(request.duplicates)));
  // One message has one answer, and a notification has no id to report under.
  bool const has_reporter = !config_.is_one_message && !running->id.empty();
  Progress progress;
  progress.author = {.actor = actor_, .who = grant_.name};
  if (has_reporter) {
    progress.notify = reporter_of(running);
    progress.notify_later = [self = shared_from_this(), running](std::string id) {
      return self->late_reporter_of(running, std::move(id));
    };
  }
  auto const answer = [&service = service_, method = running->method, params = std::move(request.params),
                       progress = std::move(progress)] {
    return guarded([&] { return method->answer(service, params, progress); });
  };
  if (running->method->kind == Kind::plain || may_block_) return finish_call(running, answer());
  keep(running);
  work_.post([self = weak_from_this(), link = link_, running, answer] {
    auto const result = answer();
    post_back(link, self, [running, result](SessionState& session) { session.finish_call(running, result); });
  });
}

void SessionState::finish_call(RunningPtr const& running, Result<std::string> const& result) {
  if (!result) return fail(running, result.error());
  std::string text;
  begin_result(text, running->id);
  text.append(*result).push_back('}');
  finish(running, std::move(text));
}

}  // namespace whence::net
