// The writer's side of a replicated log: groups of this node go into the log before they are durable here, groups of
// others are taken from it. Both are the same transactions, so every node has the same store.

#include "engine/writer/apply.hpp"
#include "engine/writer/turn.hpp"
#include "engine/writer/writer.hpp"
#include "graph/snapshot/records.hpp"
#include "schema/base/report.hpp"
#include "schema/stored/sealed.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <stdexcept>
#include <utility>

namespace whence::engine {
namespace {

using namespace std::chrono_literals;

constexpr auto arrival_wait = 100ms;  // for what a refused publication was too late for
constexpr auto delivery_wait = 5s;    // for anything at all, while the log says that there is something
constexpr std::uint32_t log_retry_ms = 500;
constexpr std::size_t flights_max = 8;
constexpr std::size_t flight_bytes_max = std::size_t{8} << 20;  // more are not sent before these are answered
constexpr std::size_t held_groups_max = 256;                    // made durable together
constexpr std::size_t held_bytes_max = std::size_t{8} << 20;

Error unanswered(std::string const& why) {
  return {.code = Errc::busy,
          .message =
              "the replicated log has not confirmed this write in time: it may be there or come to be there. "
              "Try again under the same idempotency key. " +
              why,
          .retry_after_ms = log_retry_ms,
          .is_outcome_unknown = true};
}

/// Whether the log has delivered nothing for too long: then waiting writes are refused, and may be sent to another
/// node.
class Patience {
 public:
  explicit Patience(std::uint64_t position) : position_{position} {}

  [[nodiscard]] bool ends_at(std::uint64_t position) {
    if (position != std::exchange(position_, position)) since_ = std::chrono::steady_clock::now();
    return std::chrono::steady_clock::now() - since_ > delivery_wait;
  }

 private:
  std::uint64_t position_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

Error undelivered() {
  return {.code = Errc::busy,
          .message = "the replicated log has groups of others that do not arrive here; nothing was written",
          .retry_after_ms = log_retry_ms};
}

bool is_error(Result<WriteAnswer> const& answer) {
  return !answer;
}

bool is_refusal(Result<WriteAnswer> const& answer) {
  return is_error(answer) || answer->is_unchanged;
}

}  // namespace

/// What the groups taken together have changed, for what the writer keeps in memory.
struct Received {
  std::vector<schema::VertexId> written = {};  ///< new, or revised
  std::vector<schema::VertexId> fresh = {};    ///< new
  std::vector<schema::VertexId> hidden = {};
  std::vector<schema::VertexId> gone = {};
};

/// A group on its way into the log.
struct Flight {
  std::vector<Result<WriteAnswer>> answers = {};  ///< to its requests, once it is durable
  schema::stored::Words shared = {};              ///< what was sent; empty: it changes nothing
  std::optional<Error> refusal = {};              ///< it was not validated
};

Result<void> Writer::join() {
  is_joining_ = true;
  auto joined = follow_to_end();
  is_joining_ = false;
  return joined;
}

Result<void> Writer::follow_to_end() {
  auto const check = [this](std::span<std::byte const> group) {
    auto adopted = is_joining_ ? store_.adopt_epoch(group) : Result<void>{};
    return adopted ? store_.check_is_head(group) : adopted;
  };
  auto started = log_->start_after(head(), check);
  if (!started && started.error().code != Errc::busy) return started;
  for (;;) {
    auto const is_at_end = log_->is_at_end();
    if (!is_at_end && is_at_end.error().code == Errc::busy && head() != TxId{0}) return {};  // serves what it has
    if (!is_at_end) return is_at_end.error();
    if (auto caught = catch_up(arrival_wait, {}); !caught) return caught;
    auto const figures = log_->figures();
    if (*is_at_end && figures.position == figures.foreign) {
      if (auto founded = found_log(); !founded) return founded;
    } else if (*is_at_end) {
      return {};
    }
  }
}

/// The first message of a log says which one it is, so that two empty stores cannot both begin it.
Result<void> Writer::found_log() {
  auto const founding = store_.next_shared_group();
  log_->send({schema::stored::bytes_of(founding), head(), head()});
  auto const published = log_->settle();
  if (published.front().what == store::Publication::unknown) return unanswered(published.front().why);
  return {};
}

std::vector<Result<WriteAnswer>> Writer::write_replicated(std::vector<Request>& group, std::vector<Request>& waiting,
                                                          Calls const& calls) {
  std::vector<Answer> answers;  // of the first requests of the group
  Patience patience{log_->figures().position};
  for (auto wait = 0ms;; wait = arrival_wait) {
    if (auto const caught = catch_up(wait, calls.announce); !caught) return all_failed(group.size(), caught.error());
    if (patience.ends_at(log_->figures().position)) answers.resize(group.size(), undelivered());
    if (answers.size() == group.size()) return answers;
    auto flights = send_groups(group, answers.size(), waiting, calls.more);
    if (auto const landed = land(flights, answers, calls.announce); !landed) {
      answers.resize(group.size(), landed.error());
    }
    if (answers.size() == group.size() && held_.empty()) return answers;
  }
}

/// Validates the requests from `begin` on as one group and what waits besides as further ones, each against the state
/// that the ones before it leave, and sends each into the log without waiting for its answer.
std::vector<Flight> Writer::send_groups(std::vector<Request>& group, std::size_t begin, std::vector<Request>& waiting,
                                        MoreRequests const& more) {
  std::vector<Flight> flights;
  std::size_t bytes = 0;
  bool const may_be_joined = !is_alone(group.front());
  for (;;) {
    flights.emplace_back();
    append_flight(flights.back(), std::span{group}.subspan(begin));
    bytes += flights.back().shared.size() * sizeof(std::uint64_t);
    begin = group.size();
    if (!may_be_joined || flights.back().refusal || flights.size() == flights_max || bytes > flight_bytes_max) break;
    if (waiting.empty()) waiting = more();
    auto next = take_sociable(waiting);
    if (next.empty()) break;
    group.insert(group.end(), std::make_move_iterator(next.begin()), std::make_move_iterator(next.end()));
  }
  return flights;
}

/// Once a group is on its way, running out of memory refuses only what comes after it.
void Writer::append_flight(Flight& flight, std::span<Request const> requests) {
  bool const is_first = !is_committing_;
  try {
    std::vector<Request> attempt(requests.begin(), requests.end());  // validation uses it up
    auto const base = head();
    flight.answers = append_all(attempt);
    if (!store_.has_unshared()) return;
    flight.shared = store_.next_shared_group();
    is_committing_ = true;
    log_->send({schema::stored::bytes_of(flight.shared), base, head()});
  } catch (std::bad_alloc const&) {
    if (is_first) throw;
    flight.refusal = no_memory_now();
  }
}

/// Takes the answers of what the log has accepted, and makes it durable where that is all. Else all is rolled back,
/// what was accepted is held to be taken like a group of another node, and the rest is to be validated again. Fails
/// where the rest is to be refused.
Result<void> Writer::land(std::vector<Flight>& flights, std::vector<Answer>& answers, Announce const& announce) {
  auto const take_answers = [&](Flight& flight) { std::ranges::move(flight.answers, std::back_inserter(answers)); };
  if (!is_committing_) {
    auto const have = [&](auto const& is) {
      return std::ranges::any_of(flights, [&](Flight const& each) { return std::ranges::any_of(each.answers, is); });
    };
    // What was refused may rest on a state that the log has left behind.
    auto const is_now = have(is_refusal) ? is_state_of_log(have(is_error)) : Result<bool>{true};
    if (!is_now) return is_now.error();
    if (*is_now) std::ranges::for_each(flights, take_answers);
    return {};
  }
  auto const published = log_->settle();
  auto const is_accepted = [](store::Published const& each) { return each.what == store::Publication::accepted; };
  auto const lost = std::ranges::find_if_not(published, is_accepted);
  auto const& refusal = flights.back().refusal;
  if (lost != published.end() || refusal) {
    forget_group();
  } else if (make_durable(announce)) {
    std::ranges::for_each(flights, take_answers);
    return {};
  }
  is_committing_ = true;  // what the log has must not be forgotten
  auto accepted = lost - published.begin();
  for (auto& flight : flights) {
    if (accepted == 0) break;
    if (!flight.shared.empty()) {
      auto const bytes = schema::stored::bytes_of(flight.shared);
      held_.emplace_back(bytes.begin(), bytes.end());
      --accepted;
    }
    take_answers(flight);
  }
  is_committing_ = false;
  if (lost != published.end() && lost->what == store::Publication::unknown) return unanswered(lost->why);
  if (lost == published.end() && refusal) return *refusal;
  return {};
}

/// Whether nothing was in the log, when this was called, that the graph lacks. Where the log ends is said by the
/// stream's leader alone, which may be an old one that is not followed any more, or a new one that is still behind. For
/// a refusal that is not enough: a group without transactions is published, which a quorum has to take. What is
/// unchanged was there in any case, and the log does not grow for it.
Result<bool> Writer::is_state_of_log(bool needs_quorum) {
  auto is_at_end = log_->is_at_end();
  if (!is_at_end || !*is_at_end || !needs_quorum) return is_at_end;
  auto const nothing = store_.next_shared_group();
  log_->send({schema::stored::bytes_of(nothing), head(), head()});
  auto const published = log_->settle().front();
  if (published.what != store::Publication::unknown) return published.what == store::Publication::accepted;
  return Error{
      .code = Errc::busy,
      .message = "the replicated log has not confirmed in time that nothing else was written. " + published.why,
      .retry_after_ms = log_retry_ms};
}

/// Takes all that has arrived; waits for the first of it. Fails with `storage_full` where it cannot be made durable.
Result<void> Writer::catch_up(std::chrono::milliseconds wait, Announce const& announce) {
  for (;;) {
    std::size_t bytes = 0;
    while (held_.size() < held_groups_max && bytes < held_bytes_max) {
      auto next = log_->next(held_.empty() ? wait : 0ms);
      if (!next) throw std::runtime_error(next.error().message);
      if (!*next) break;
      bytes += (*next)->size();
      held_.push_back(std::move(**next));
    }
    if (held_.empty()) return {};
    if (auto taken = take_held(announce); !taken) return taken;
    wait = 0ms;
  }
}

Result<void> Writer::take_held(Announce const& announce) {
  if (is_joining_) {
    if (auto adopted = store_.adopt_epoch(held_.front()); !adopted) return adopted;
  }
  Received received;
  has_appended_ = true;
  for (auto const& message : held_) receive(message, received);
  if (auto durable = make_durable(announce); !durable) return durable;
  held_.clear();
  return remember_received(received);
}

void Writer::receive(std::span<std::byte const> message, Received& received) {
  auto const visit = [&](store::ReplayedCommit const& commit, std::span<store::ReceivedContent const> contents) {
    apply_logged(graph_, commit);
    append_received_vectors(contents, commit.tx);
    for (auto const& row : commit.rows) received.fresh.push_back(row.vertex);
    for (auto const& each : contents) received.written.push_back(each.content.vertex);
    received.hidden.insert(received.hidden.end(), commit.hidden.begin(), commit.hidden.end());
    for (auto const& gone : {commit.expired, commit.purged}) {
      received.gone.insert(received.gone.end(), gone.begin(), gone.end());
    }
  };
  auto const following = store_.append_received(message, visit);
  if (!following) throw std::runtime_error(following.error().message);
  if (*following == store::Following::is_ahead) {
    throw std::runtime_error("the replicated log lacks what follows transaction " +
                             std::to_string(schema::number(head())));
  }
}

void Writer::append_received_vectors(std::span<store::ReceivedContent const> contents, TxId tx) {
  for (auto const& each : contents) {
    if (each.type != schema::RecordType::retrieved_chunk) continue;
    auto const record = schema::stored::unseal(each.type, each.words);
    if (!record) throw std::runtime_error(record.error().message);
    auto const& chunk = std::get<schema::RetrievedChunk>(*record);
    if (chunk.embedding) vectors_.append(each.content.vertex, tx, *chunk.embedding, model_of(chunk));
  }
}

/// What the writer keeps in memory follows, as `remember` lets it follow own writes.
Result<void> Writer::remember_received(Received const& received) {
  auto const known = graph_.snapshot();
  indexes_.blobs().clear();
  for (auto const vertex : received.written) memory_.forget(vertex);
  for (auto const vertex : received.hidden) {
    indexes_.drop_deleted(vertex, known);
    memory_.forget(vertex);
  }
  for (auto const vertex : received.gone) {
    indexes_.drop_gone(vertex);
    memory_.forget(vertex);
  }
  auto written = received.written;
  std::ranges::sort(written);
  written.erase(std::unique(written.begin(), written.end()), written.end());
  auto const is_fresh = [&](schema::VertexId vertex) { return std::ranges::binary_search(received.fresh, vertex); };
  return graph::read_those_there(known, store_, written, [&](std::size_t i, schema::Record&& record) {
    indexes_.take({written[i], record, known, is_fresh(written[i])});
    return true;
  });
}

}  // namespace whence::engine
