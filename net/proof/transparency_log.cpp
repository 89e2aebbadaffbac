// Following the head, and signing where it was reached.

#include "net/proof/transparency_log.hpp"

#include "engine/engine.hpp"
#include "engine/tree/private_file.hpp"
#include "net/base/errors.hpp"
#include "schema/json/writer.hpp"
#include "schema/proof/bundle.hpp"
#include "schema/proof/merkle.hpp"
#include "schema/proof/signed_note.hpp"
#include "schema/records/prov/relations.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace whence::net {
namespace {

// Between two looks at whether to end, and whether others wait for the files.
constexpr std::size_t events_per_slice = 4096;

// What would be made again after a kill takes less than a second.
constexpr std::uint64_t events_per_flush = 200'000;

// A worker waits meanwhile, which others want; for a tree that is being made anew the request is tried again.
constexpr auto checkpoint_wait = std::chrono::seconds(1);

// The wall clock may be set while the thread waits for the end of an overlap.
constexpr std::int64_t clock_trust_s = 3'600;

// How long what was signed may be unknown to the next start.
constexpr auto kept_every = std::chrono::seconds(60);

// Not in the namespace of Whence's own records: it is a thing like those of other PROV documents.
constexpr std::string_view key_prefix = "key";
constexpr std::string_view key_namespace = "urn:whence-log-key:";

queries::View view_after(queries::View const& head, schema::TxId tx) {
  auto view = head;
  view.snapshot = head.snapshot.as_of(tx);
  return view;
}

Result<TransparencyLog::Leaves> leaves_after(engine::Engine const& engine, queries::View view, graph::Delta&& delta,
                                             queries::WantedLines const& wanted = {}) {
  auto const tx = delta.tx;
  auto written = engine.contents_of(tx);
  if (!written) return written.error();
  auto const entry = engine.entry_hash(tx);
  if (!entry) return entry.error();
  TransparencyLog::Leaves made;
  std::vector<queries::Commitment> commitments;
  commitments.reserve(written->size());
  for (auto const& each : *written) commitments.push_back({each.content.vertex, each.commitment});
  made.contents = std::move(*written);
  auto leaves = queries::leaves_of(queries::Events(std::move(view), std::move(delta)),
                                   {.contents = commitments, .entry = *entry}, wanted);
  if (!leaves) return leaves.error();
  made.leaves = std::move(*leaves);
  return made;
}

/// The text of a checkpoint, with the key to which it hands the log over.
Result<std::string> key_change_text(SignedCheckpoint const& checkpoint, schema::proof::VerifierKey const& next) {
  auto const note = schema::proof::parse_note(checkpoint.note);
  if (!note) return note.error();
  auto const parsed = schema::proof::parse_checkpoint(note->text);
  if (!parsed) return parsed.error();
  return schema::proof::format_key_change(*parsed, next);
}

schema::ProvEntity key_change_record(std::string_view vkey, std::string_view note, schema::Time until) {
  std::string attributes;
  schema::json::Writer(attributes)
      .begin_object()
      .member(schema::proof::key_change_attribute, note)
      .member("key:until", schema::format_rfc3339(until))
      .end_object();
  schema::ProvEntity record;
  record.id = key_change_ref(vkey).id;
  record.qname = std::string{key_prefix} + ':' + std::string{vkey};
  record.attributes = schema::ProvAttributes{std::move(attributes)};
  record.prefixes = schema::PrefixMap{{{std::string{key_prefix}, std::string{key_namespace}}}};
  return record;
}

}  // namespace

schema::NodeRef key_change_ref(std::string_view vkey) {
  return {schema::RecordType::prov_entity, schema::prov_id(std::string{key_namespace} + std::string{vkey})};
}

TransparencyLog::TransparencyLog(engine::Engine const& engine, schema::Clock const& clock,
                                 std::function<queries::View()> head, std::string_view name,
                                 schema::TroubleReport report)
    : engine_(engine),
      clock_(clock),
      head_(std::move(head)),
      origin_("whence/" + std::string(name)),
      thread_(std::move(report), "transparency_log", "with the next transaction it is tried again") {
  thread_.start([this](std::stop_token const&) {
    open();
    follow();
    return sleep();
  });
}

TransparencyLog::~TransparencyLog() {
  stop();
}

void TransparencyLog::stop() {
  thread_.request_stop();
  { std::scoped_lock const lock(mutex_); }  // who looks for that sees it, or waits already
  signed_.notify_all();
  thread_.stop();
  if (!opened_ || std::exchange(is_closed_, true)) return;
  thread_.run([this] {
    opened_->tree.flush();
    keep_checkpoint();
  });
}

/// The key and the files, once they can be read or made. Throws std::system_error, std::runtime_error.
void TransparencyLog::open() {
  if (opened_) return;
  auto const find_leaf = [this](schema::TxId tx) { return engine_.entry_hash(tx); };
  take_keys(open_keys(key_file(), origin_));
  opened_.reset(new Opened{.tree = {engine_.directory() / "tree", engine_.epoch(), find_leaf}});
  read_kept();
}

std::filesystem::path TransparencyLog::key_file() const {
  return engine_.directory() / "log.key";
}

std::shared_ptr<LogKeys const> TransparencyLog::keys() const {
  std::scoped_lock const lock(mutex_);
  return keys_;
}

void TransparencyLog::take_keys(LogKeys keys) {
  auto taken = std::make_shared<LogKeys const>(std::move(keys));
  std::scoped_lock const lock(mutex_);
  keys_ = std::move(taken);
}

/// Until there are new transactions, or an overlap ends.
schema::WokenThread::Sleep TransparencyLog::sleep() const {
  auto const known = keys();
  auto const now = clock_.now();
  auto const* const earlier = known ? known->find_signing(now) : nullptr;
  if (earlier == nullptr) return {};
  return {.most = std::chrono::seconds(std::min(earlier->until.seconds - now.seconds + 1, clock_trust_s))};
}

void TransparencyLog::follow() {
  auto flushed = opened_->tree.size();
  while (!thread_.is_stopping()) {
    auto const head = head_();
    if (opened_->tree.tx() >= head.snapshot.tx()) break;
    take_some(head);
    if (opened_->tree.size() - flushed < events_per_flush) continue;
    opened_->tree.flush();
    flushed = opened_->tree.size();
  }
  if (!thread_.is_stopping()) sign();
}

/// Adds some transactions. Throws std::runtime_error where the log does not read.
void TransparencyLog::take_some(queries::View const& head) {
  std::size_t events = 0;
  Result<Leaves> made = Leaves{};
  auto const read = engine_.read_deltas(schema::next(opened_->tree.tx()), head.snapshot, [&](graph::Delta&& delta) {
    auto view = view_after(head, delta.tx);
    made = leaves_after(engine_, std::move(view), std::move(delta));
    if (!made) return false;
    std::vector<schema::Digest> hashes;
    hashes.reserve(made->leaves.leaves.size());
    for (std::size_t i = 0; i < made->leaves.leaves.size(); ++i) {
      hashes.push_back(schema::proof::leaf_hash(made->leaves.line(i)));
    }
    opened_->tree.append(hashes);
    events += hashes.size();
    return events < events_per_slice;
  });
  if (!read) throw std::runtime_error(read.error().message);
  if (!made) throw std::runtime_error(made.error().message);
}

SignedCheckpoint TransparencyLog::checkpoint_after(schema::TxId tx) const {
  auto const size = opened_->tree.size_after(tx);
  auto const known = keys();
  auto const now = clock_.now();
  SignedCheckpoint made{.size = size, .key = known->current.verifier().text()};
  made.note = known->sign(
      schema::proof::format_checkpoint({.origin = origin_, .tree = {.size = size, .root = opened_->tree.root(size)}}),
      now);
  if (auto const* const earlier = known->find_signing(now)) {
    made.earlier = SignedCheckpoint::Earlier{earlier->key.text(), earlier->until};
  }
  return made;
}

void TransparencyLog::sign() {
  drop_expired();
  auto const tx = opened_->tree.tx();
  auto made = checkpoint_after(tx);
  auto const before = signed_tree();
  if (before) compare_with(*before);
  if (kept_ && kept_->size <= made.size) {
    compare_with(*kept_);
    kept_.reset();
  }
  {
    std::scoped_lock const lock(mutex_);
    signed_tree_ = {.size = made.size, .root = opened_->tree.root(made.size)};
    checkpoint_ = std::move(made);
    covered_ = tx;
    signed_.notify_all();
  }
  if (std::chrono::steady_clock::now() - kept_at_ >= kept_every) keep_checkpoint();
}

/// What this node signed must be in its tree for ever.
void TransparencyLog::compare_with(schema::proof::TreeHead const& earlier) {
  if (opened_->tree.root(earlier.size) == earlier.root) return;
  std::scoped_lock const lock(mutex_);
  if (own_fork_) return;
  own_fork_ = "this node signed another root for " + std::to_string(earlier.size) +
              " events than its tree has now: its log, or the files of its tree, were changed";
}

/// What was signed last before this start: epoch, size and root. It is of no use where the store has another log since.
void TransparencyLog::read_kept() {
  auto const path = engine_.directory() / "log.signed";
  if (std::error_code unknown; !std::filesystem::is_regular_file(path, unknown)) return;
  std::ifstream file(path, std::ios::binary);
  std::string epoch;
  std::string root;
  schema::proof::TreeHead tree;
  if (!(file >> epoch >> tree.size >> root) || epoch != engine_.epoch()) return;
  auto const parsed = schema::proof::parse_hash(root);
  if (!parsed) return;
  tree.root = *parsed;
  kept_ = tree;
}

void TransparencyLog::keep_checkpoint() {
  kept_at_ = std::chrono::steady_clock::now();
  auto const tree = signed_tree();
  if (!tree || kept_ || own_fork()) return;  // what is there still says more
  auto const text = engine_.epoch() + ' ' + std::to_string(tree->size) + ' ' + schema::proof::format_hash(tree->root);
  engine::write_privately(engine_.directory() / "log.signed", text + '\n');
}

std::optional<schema::proof::TreeHead> TransparencyLog::signed_tree() const {
  std::scoped_lock const lock(mutex_);
  return signed_tree_;
}

std::optional<std::string> TransparencyLog::own_fork() const {
  std::scoped_lock const lock(mutex_);
  return own_fork_;
}

/// What does not sign any more is no secret that has to be kept.
void TransparencyLog::drop_expired() {
  std::unique_lock const one(changing_, std::try_to_lock);
  if (!one) return;  // a change waits for this thread
  auto kept = *keys();
  if (!kept.drop_expired(clock_.now())) return;
  write_keys(key_file(), kept);
  take_keys(std::move(kept));
}

Result<KeyChange> TransparencyLog::change_key(std::chrono::seconds overlap, WriteRecord const& write) {
  auto const checkpoint = checkpoint_at(head_().snapshot.tx());
  if (!checkpoint) return checkpoint.error();
  std::scoped_lock const one(changing_);
  auto const known = keys();
  auto const now = clock_.now();
  if (auto const* const earlier = known->find_signing(now); earlier != nullptr && overlap.count() > 0) {
    return Error{Errc::conflict, "the key before the present one signs until " +
                                     schema::format_rfc3339(earlier->until) +
                                     ": change the key again after that, or without an overlap"};
  }
  auto next = fresh_key(origin_);
  auto const key = next.verifier().text();
  auto text = key_change_text(*checkpoint, next.verifier());
  if (!text) return text.error();
  schema::proof::SignedNote note{.text = std::move(*text), .signatures = {}};
  note.signatures.push_back(known->current.sign(note.text));
  note.signatures.push_back(next.sign(note.text));
  auto const until = schema::plus_seconds(now, static_cast<double>(overlap.count()));
  auto const written = write(key_change_record(key, schema::proof::format_note(note), until));
  if (!written) return written.error();
  auto changed = known->changed_to(std::move(next), until);
  changed.drop_expired(now);
  write_keys(key_file(), changed);
  take_keys(std::move(changed));
  on_published();
  auto const is_signed = [&] { return checkpoint_.key == key && covered_ >= written->tx; };
  std::unique_lock lock(mutex_);
  signed_.wait_for(lock, checkpoint_wait, [&] { return is_signed() || thread_.is_stopping(); });
  return KeyChange{.tx = written->tx, .ref = written->refs.front(), .key = key, .until = until};
}

std::vector<std::string> TransparencyLog::verifier_keys() const {
  auto const known = keys();
  std::vector<std::string> texts;
  if (!known) return texts;
  texts.push_back(known->current.verifier().text());
  for (auto const& each : known->earlier) texts.push_back(each.key.text());
  return texts;
}

SignedCheckpoint TransparencyLog::checkpoint() const {
  std::scoped_lock const lock(mutex_);
  return checkpoint_;
}

Result<SignedCheckpoint> TransparencyLog::checkpoint_at(schema::TxId tx) const {
  std::unique_lock lock(mutex_);
  auto const is_there = [&] { return !checkpoint_.note.empty() && covered_ >= tx; };
  if (signed_.wait_for(lock, checkpoint_wait, [&] { return is_there() || thread_.is_stopping(); }) && is_there()) {
    return checkpoint_;
  }
  return Error{Errc::busy, "the tree over events has not reached transaction " + std::to_string(schema::number(tx)) +
                               " yet; it is at " + std::to_string(schema::number(covered_)) +
                               ". The server's log says why, if it does not go on"};
}

Result<TransparencyLog::Leaves> TransparencyLog::read_leaves(schema::TxId tx,
                                                             queries::WantedLines const& wanted) const {
  auto const head = head_();
  if (tx == schema::TxId{0} || tx > head.snapshot.tx()) {
    return Error{Errc::not_found, "there is no transaction " + std::to_string(schema::number(tx))};
  }
  Result<Leaves> made = Leaves{};
  auto const read = engine_.read_deltas(tx, head.snapshot, [&](graph::Delta&& delta) {
    auto view = view_after(head, delta.tx);
    made = leaves_after(engine_, std::move(view), std::move(delta), wanted);
    return false;
  });
  if (!read) return read.error();
  return made;
}

}  // namespace whence::net
