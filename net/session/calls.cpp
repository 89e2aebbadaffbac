// Requests that are no reads: writes, which the engine's writer answers, and the service's own functions.

#include "engine/writer/foresight.hpp"
#include "net/params/params.hpp"
#include "net/session/session_state.hpp"
#include "net/work/request_interrupt.hpp"
#include "schema/types/ref.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace whence::net {

namespace {

/// Takes out of `refs` the texts that were purged: their ids are digests of them.
void leave_out_purged(std::vector<std::string>& refs, graph::Snapshot const& known) {
  std::erase_if(refs, [&](std::string const& text) {
    auto const ref = schema::parse_ref(text);
    if (!ref || ref->type != schema::RecordType::xml_message_attachment) return false;
    auto const lives = known.find_all_ever(ref->type, ref->id);
    return !lives.empty() && known.gone(lives.back()) == graph::GoneWhy::purged;
  });
}

/// What a client that may not purge is told: not that something was purged.
engine::WriteAnswer without_purges(engine::WriteAnswer answer, graph::Snapshot const& known) {
  std::erase_if(answer.warnings, [](Violation const& warning) { return warning.rule == "purged"; });
  auto& removal = answer.removal;
  for (auto* const refs : {&removal.deleted, &removal.orphaned, &removal.dangling}) leave_out_purged(*refs, known);
  return answer;
}

}  // namespace

/// The backups that still have something of what went, or had gone before, and what must stay gone of it.
void SessionState::name_beside(engine::Engine const& engine, NamedBeside asked, engine::Removal& removal) {
  if (asked.lost) removal.lost = engine::find_lost(removal, engine.snapshot());
  if (!asked.backups) return;
  auto of = removal.gone;
  of.insert(of.end(), removal.gone_before.begin(), removal.gone_before.end());
  removal.backups = engine.older_backups(of);
}

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
  NamedBeside const asked{.backups = write->names_backups, .lost = write->names_lost};
  auto done = [self = weak_from_this(), link = link_, running, asked](Result<engine::WriteAnswer> answer) {
    auto const kept = std::make_shared<Result<engine::WriteAnswer>>(std::move(answer));
    post_back(link, self, [running, kept, asked](SessionState& session) {
      if ((asked.backups || asked.lost) && *kept) return session.add_beside(running, asked, kept);
      session.finish_write(running, *kept);
    });
  };
  if (!write->prepared) write->prepared = service_.engine.prepare(std::move(write->batch));
  if (grant_.role != Role::admin) engine::hide_purged_texts(write->prepared);
  if (engine::is_dry_removal(write->prepared)) return foresee(running, write->prepared, asked);
  schema::Author author{.actor = actor_, .who = grant_.name};
  service_.engine.submit(write->prepared, std::move(author), peer_,
                         [files = service_.files, done = std::move(done)](Result<engine::WriteAnswer> answer) {
                           files->follow(std::move(answer), done);
                         });
}

/// A dry run that is a reader's work, on a worker.
void SessionState::foresee(RunningPtr const& running, engine::PreparedBatch const& prepared, NamedBeside asked) {
  auto const answer = [&service = service_, prepared, asked] {
    return guarded([&] {
      auto found = engine::foresee_removal(prepared, {.known = service.engine.snapshot(),
                                                      .store = service.engine.records(),
                                                      .now = service.clock.now(),
                                                      .config = service.engine.config(),
                                                      .names_gone = asked.lost});
      if (found) name_beside(service.engine, asked, found->removal);
      return found;
    });
  };
  if (may_block_) return finish_write(running, answer());
  work_.post([self = weak_from_this(), link = link_, running, answer] {
    auto const result = answer();
    post_back(link, self, [running, result](SessionState& session) { session.finish_write(running, result); });
  });
}

/// What older backups have is a reader's work, on a worker, once the erasure is durable.
void SessionState::add_beside(RunningPtr const& running, NamedBeside asked,
                              std::shared_ptr<Result<engine::WriteAnswer>> const& answer) {
  auto const look = [&service = service_, asked, answer] { name_beside(service.engine, asked, (*answer)->removal); };
  if (may_block_) {
    look();
    return finish_write(running, *answer);
  }
  work_.post([self = weak_from_this(), link = link_, running, answer, look] {
    look();
    post_back(link, self, [running, answer](SessionState& session) { session.finish_write(running, *answer); });
  });
}

void SessionState::finish_write(RunningPtr const& running, Result<engine::WriteAnswer> const& answer) {
  if (running->is_done) return;
  if (!answer) return fail(running, answer.error());
  std::string text;
  begin_result(text, running->id);
  if (grant_.role == Role::admin) {
    running->method->write_answer(text, *answer);
  } else {
    running->method->write_answer(text, without_purges(*answer, service_.engine.snapshot()));
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
  progress.is_admin = grant_.role >= Role::admin;
  if (has_reporter) {
    progress.notify = reporter_of(running);
    progress.notify_later = [self = shared_from_this(), running](std::string id) {
      return self->late_reporter_of(running, std::move(id));
    };
  }
  auto const answer = [&service = service_, running, is_given_up = config_.is_cancelled, memory = memory_,
                       params = std::move(request.params), progress = std::move(progress)] {
    RequestInterrupt interrupt(running->is_cancelled, RequestInterrupt::Moment::max(),
                               RequestInterrupt::steps_unbounded);
    interrupt.cancel_by(is_given_up.get());
    auto caller = progress;
    caller.interrupt = &interrupt;
    MemoryClaim held(memory);
    caller.may_hold = [&held](std::size_t bytes) { return held.try_set(bytes); };
    caller.holds_max = memory->bytes_max();
    return guarded([&] { return running->method->answer(service, params, caller); });
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
