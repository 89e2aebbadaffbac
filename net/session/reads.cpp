// Reads: first tried where they arrive, for a short time; what takes longer goes to a worker; what is streamed is given
// piece by piece as credit and the send queue allow.

#include "net/session/session_state.hpp"

#include <algorithm>
#include <limits>

namespace whence::net {

namespace {

// Rendered where the request arrived. With `include: ["record"]` each item costs a few microseconds.
constexpr std::size_t inline_items_max = 100;
constexpr std::size_t items_unbounded = std::numeric_limits<std::size_t>::max();

}  // namespace

void SessionState::start_read(RunningPtr const& running, Request& request) {
  auto read = Read::prepare(service_, memory_, *running->method, request,
                            {.may_stream = !config_.is_one_message, .role = grant_.role});
  if (!read) return fail(running, read.error());
  // The answer of a notification is not waited for, and a read does nothing else.
  if (running->id.empty()) return finish(running, {});
  running->read = std::move(*read);
  auto const tx = running->read->awaited_tx();
  if (!tx) return run_read(running);
  keep(running);
  auto ring = [self = weak_from_this(), link = link_, running](bool is_visible) {
    post_back(link, self, [running, is_visible](SessionState& session) {
      if (running->is_done) return;
      if (is_visible) return session.run_read(running);
      session.fail(running, {.code = Errc::deadline_exceeded, .message = "min_tx is not visible yet"});
    });
  };
  running->alarm = service_.alarms->set({.tx = tx, .deadline = running->read->deadline()}, std::move(ring));
}

void SessionState::run_read(RunningPtr const& running) {
  RequestInterrupt interrupt(running->is_cancelled, running->read->deadline(),
                             may_block_ ? RequestInterrupt::steps_unbounded : service_.config.inline_steps_max);
  interrupt.cancel_by(config_.is_cancelled.get());
  std::string text = host_->empty_text();
  begin_result(text, running->id);
  auto const step =
      guarded([&] { return running->read->run(interrupt, may_block_ ? items_unbounded : inline_items_max, text); });
  if (step && *step == Read::Step::too_long) return run_read_on_worker(running);
  finish_read(running, step, std::move(text));
}

void SessionState::run_read_on_worker(RunningPtr const& running) {
  keep(running);
  work_.post([self = weak_from_this(), link = link_, running, progress = progress_of(running)] {
    RequestInterrupt const interrupt(running->is_cancelled, running->read->deadline(),
                                     RequestInterrupt::steps_unbounded, progress);
    auto const text = std::make_shared<std::string>();
    begin_result(*text, running->id);
    auto const step = guarded([&] { return running->read->run(interrupt, items_unbounded, *text); });
    post_back(link, self,
              [running, step, text](SessionState& session) { session.finish_read(running, step, std::move(*text)); });
  });
}

namespace {

std::string progress_text(std::string_view id, std::uint64_t done, std::uint64_t total, char const* message) {
  std::string text;
  begin_notification(text, "$/progress");
  schema::json::Writer out(text);
  out.begin_object().key("id").raw(id).member("done", done).member("total", total);
  out.member("message", message).end_object();
  text.push_back('}');
  return text;
}

}  // namespace

RequestInterrupt::Progress SessionState::progress_of(RunningPtr const& running) {
  if (!running->read->wants_progress() || config_.is_one_message) return {};
  return [report = reporter_of(running), running](std::uint64_t done) {
    report(done, std::max(done, running->read->work_total()), "vertices and edges looked at");
  };
}

Notify SessionState::reporter_of(RunningPtr const& running) {
  return
      [self = weak_from_this(), link = link_, running](std::uint64_t done, std::uint64_t total, char const* message) {
        post_back(link, self, [running, done, total, message](SessionState& session) {
          if (!running->is_done) session.host_->send(progress_text(running->id, done, total, message));
        });
      };
}

Notify SessionState::late_reporter_of(RunningPtr const& running, std::string id) {
  return [self = weak_from_this(), link = link_, running, id = std::move(id)](std::uint64_t done, std::uint64_t total,
                                                                              char const* message) {
    post_back(link, self, [running, text = progress_text(id, done, total, message)](SessionState& session) {
      if (!running->is_done) return running->after_answer.push_back(text);
      if (session.host_ != nullptr) session.host_->send(text);
    });
  };
}

void SessionState::finish_read(RunningPtr const& running, Result<Read::Step> const& step, std::string text) {
  if (running->is_done) return;
  if (!step) return fail(running, step.error());
  auto const read = running->read;
  if (read->stream_credit()) return start_stream(running);
  text.push_back('}');
  if (running->slot.batch) read->release_text();  // the batch counts it
  running->counted_bytes = read->text_bytes();
  finish(running, std::move(text));
  read->release_text();
}

void SessionState::start_stream(RunningPtr const& running) {
  keep(running);
  running->is_streaming = true;
  running->stream_credit = *running->read->stream_credit();
  // Without a timeout of its own a stream lasts as long as its reader likes.
  if (running->read->has_own_deadline()) {
    auto ring = [self = weak_from_this(), link = link_, running](bool) {
      post_back(link, self, [running](SessionState& session) {
        running->is_out_of_time = true;
        session.pump(running);
      });
    };
    running->alarm = service_.alarms->set({.deadline = running->read->deadline()}, std::move(ring));
  }
  pump(running);
}

void SessionState::pump(RunningPtr const& running) {
  while (!running->is_done && !running->is_rendering) {
    bool const has_more = running->read->has_more_items();
    if (has_more && running->is_out_of_time) running->read->stop_for_time();
    if (!has_more || running->is_out_of_time) return end_stream(running);
    if (running->stream_credit == 0 || host_->is_congested()) return;
    if (running->read->next_items_max() > inline_items_max) return make_piece_on_worker(running);
    std::string items;
    RequestInterrupt const interrupt = interrupt_of_piece(*running);
    auto const made = guarded([&] { return running->read->write_next_items(items, interrupt); });
    give_piece(running, made, items);
  }
}

/// Without a time limit of its own a stream has none, but each of its pieces has.
RequestInterrupt SessionState::interrupt_of_piece(Running const& running) const {
  auto const deadline = running.read->has_own_deadline()
                            ? running.read->deadline()
                            : std::chrono::steady_clock::now() + service_.config.read_timeout;
  return {running.is_cancelled, deadline, RequestInterrupt::steps_unbounded};
}

void SessionState::make_piece_on_worker(RunningPtr const& running) {
  running->is_rendering = true;
  work_.post([self = weak_from_this(), link = link_, running, interrupt = interrupt_of_piece(*running)] {
    auto const items = std::make_shared<std::string>();
    auto const made = guarded([&] { return running->read->write_next_items(*items, interrupt); });
    post_back(link, self, [running, made, items](SessionState& session) {
      running->is_rendering = false;
      if (running->is_done) return;
      session.give_piece(running, made, *items);
      session.pump(running);
    });
  });
}

void SessionState::give_piece(RunningPtr const& running, Result<void> const& made, std::string const& items) {
  if (!made) return fail(running, made.error());
  if (items == "[]") return;  // the evaluation has ended without another item
  --running->stream_credit;
  std::string text;
  begin_notification(text, "$/partial");
  schema::json::Writer out(text);
  out.begin_object().key("id").raw(running->id).member("seq", ++running->stream_seq);
  out.key("items").raw(items).end_object();
  text.push_back('}');
  host_->send(std::move(text));
}

void SessionState::end_stream(RunningPtr const& running) {
  std::string text;
  begin_result(text, running->id);
  running->read->write_final(text);
  text.push_back('}');
  finish(running, std::move(text));
}

}  // namespace whence::net
