// The writer's side of a replicated log: groups of this node go into the log before they are durable here, groups of
// others are taken from it. Both are the same transactions, so every node has the same store.

#include "engine/writer/apply.hpp"
#include "engine/writer/writer.hpp"
#include "graph/snapshot/records.hpp"
#include "schema/base/report.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace whence::engine {
namespace {

using namespace std::chrono_literals;

constexpr auto arrival_wait = 100ms;  // for what a refused publication was too late for
constexpr std::uint32_t log_retry_ms = 500;
constexpr std::size_t held_groups_max = 256;  // made durable together
constexpr std::size_t held_bytes_max = std::size_t{8} << 20;

Error unanswered(std::string const& why) {
  return {.code = Errc::busy,
          .message =
              "the replicated log has not confirmed this write in time: it may be there or come to be there. "
              "Try again under the same idempotency key. " +
              why,
          .retry_after_ms = log_retry_ms};
}

bool is_refusal(Result<WriteAnswer> const& answer) {
  return !answer || answer->is_unchanged;
}

}  // namespace

/// What the groups taken together have changed, for what the writer keeps in memory.
struct Received {
  std::vector<schema::VertexId> written = {};  ///< new, or revised
  std::vector<schema::VertexId> fresh = {};    ///< new
  std::vector<schema::VertexId> hidden = {};
  std::vector<schema::VertexId> gone = {};
};

Result<void> Writer::join() {
  is_joining_ = true;
  auto joined = follow_to_end();
  is_joining_ = false;
  return joined;
}

Result<void> Writer::follow_to_end() {
  auto started =
      log_->start_after(head(), [this](std::span<std::byte const> group) { return store_.check_is_head(group); });
  if (!started && started.error().code != Errc::busy) return started;
  for (;;) {
    auto const is_at_end = log_->is_at_end();
    if (!is_at_end && is_at_end.error().code == Errc::busy && head() != TxId{0}) return {};  // serves what it has
    if (!is_at_end) return is_at_end.error();
    if (auto caught = catch_up(arrival_wait, {}); !caught) return caught;
    if (*is_at_end && log_->figures().position == 0) {
      if (auto founded = found_log(); !founded) return founded;
    } else if (*is_at_end) {
      return {};
    }
  }
}

/// The first message of a log says which one it is, so that two empty stores cannot both begin it.
Result<void> Writer::found_log() {
  auto const published = publish(store_.shared_group());
  if (published.what == store::Publication::unknown) return unanswered(published.why);
  return {};
}

store::Published Writer::publish(schema::stored::Words const& shared) {
  return log_->publish({schema::stored::bytes_of(shared), graph_.snapshot().tx(), head()});
}

std::vector<Result<WriteAnswer>> Writer::write_replicated(std::vector<Request>& group, Announce const& announce) {
  for (auto wait = 0ms;; wait = arrival_wait) {
    if (auto const caught = catch_up(wait, announce); !caught) return all_failed(group.size(), caught.error());
    if (group.empty()) return {};
    auto attempt = group;  // validation uses it up, and a refused publication is validated again
    auto answers = append_all(attempt);
    if (!has_appended_) {
      if (std::ranges::none_of(answers, is_refusal)) return answers;
      // What was refused may rest on a state that the log has left behind.
      auto const is_at_end = log_->is_at_end();
      if (!is_at_end) return all_failed(group.size(), is_at_end.error());
      if (*is_at_end) return answers;
      continue;
    }
    auto const shared = store_.shared_group();
    auto const published = publish(shared);
    if (published.what == store::Publication::accepted) {
      auto const durable = make_durable(announce);
      if (durable) return answers;
      auto const bytes = schema::stored::bytes_of(shared);
      held_.emplace_back(bytes.begin(), bytes.end());  // it is in the log, so this node must have it before all else
      return all_failed(group.size(), durable.error());
    }
    forget_group();
    if (published.what == store::Publication::unknown) return all_failed(group.size(), unanswered(published.why));
  }
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
    apply_logged(graph_,
                 {.tx = commit.tx,
                  .at = commit.at,
                  .rows = commit.rows,
                  .revisions = commit.revisions,
                  .hidden = commit.hidden,
                  .expired = commit.expired,
                  .purged = commit.purged},
                 commit.deprecated);
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
    auto const record = schema::stored::decode(each.type, each.words);
    if (!record) throw std::runtime_error(record.error().message);
    auto const& chunk = std::get<schema::RetrievedChunk>(*record);
    if (chunk.embedding) vectors_.append(each.content.vertex, tx, *chunk.embedding, model_of(chunk));
  }
}

/// What the writer keeps in memory follows, as `remember` lets it follow own writes.
Result<void> Writer::remember_received(Received const& received) {
  auto const known = graph_.snapshot();
  blobs_.clear();
  for (auto const vertex : received.written) memory_.forget(vertex);
  for (auto const vertex : received.hidden) {
    topics_.drop(vertex);
    requests_.drop(vertex, known);
    memory_.forget(vertex);
  }
  for (auto const vertex : received.gone) {
    topics_.drop(vertex);
    memory_.forget(vertex);
  }
  if (!received.gone.empty()) {
    id_hashes_.clear();
    documents_.clear();
  }
  auto written = received.written;
  std::ranges::sort(written);
  written.erase(std::unique(written.begin(), written.end()), written.end());
  auto const is_fresh = [&](schema::VertexId vertex) { return std::ranges::binary_search(received.fresh, vertex); };
  return graph::read_records(known, store_, written, [&](std::size_t i, schema::Record&& record) {
    topics_.take(written[i], record);
    id_hashes_.take(written[i], record);
    documents_.take(written[i], record);
    if (is_fresh(written[i])) requests_.take(written[i], record, known);
    return true;
  });
}

}  // namespace whence::engine
