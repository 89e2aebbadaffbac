// The thread takes the log in stretches, each one transaction of the index. What it has not read yet is looked up in
// the log by the search itself, as far as that is little.
#include "engine/search/text_indexer.hpp"

#include "engine/values/priority.hpp"
#include "schema/encoding/code_points.hpp"
#include "schema/records/records.hpp"
#include "schema/search/texts.hpp"
#include "schema/stored/codec.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

namespace whence::engine {
namespace {

using schema::number;
using schema::TxId;
using schema::VertexId;

constexpr auto index_pause = std::chrono::milliseconds(100);  // what is written meanwhile is read together
constexpr std::uint64_t again_at_once = 3;                    // how often a damaged file is made anew without a pause
constexpr auto pause_of_failure = std::chrono::milliseconds(5'000);  // of a full disk, say
constexpr int nice_most = 19;                                        // a tenth of the weight of `work_behind_others(5)`
constexpr std::uint64_t stretch_changes = 4'000;                     // about so many vertices and revisions
constexpr std::uint64_t unread_transactions_max = 1'000;             // that a search reads itself
constexpr std::uint32_t unread_vertices_max = 1'000;                 // likewise
constexpr std::size_t texts_per_slice = 500;

/// Failures of reading the store end the stretch.
template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return *std::move(result);
}
void require_read(Result<void> const& result) {
  if (!result) throw std::runtime_error(result.error().message);
}

std::string joined_texts(std::vector<std::string> const& texts) {
  std::string all;
  for (auto const& text : texts) all.append(text).append("\n");
  return all;
}

/// A transaction of the index that is rolled back where something fails.
class IndexTransaction {
 public:
  explicit IndexTransaction(store::TextDatabase& database) : database_(&database) { database.begin(); }
  ~IndexTransaction() {
    if (database_ != nullptr) database_->roll_back();
  }
  IndexTransaction(IndexTransaction const&) = delete;
  IndexTransaction& operator=(IndexTransaction const&) = delete;

  void commit(store::IndexPlace const& place) {
    database_->commit(place);
    database_ = nullptr;
  }

 private:
  store::TextDatabase* database_;
};

struct Stopped {};

void stop_if(std::stop_token const& stop) {
  if (stop.stop_requested()) throw Stopped{};
}

}  // namespace

TextIndexer::TextIndexer(store::Store const& store, graph::Graph const& graph, std::filesystem::path const& directory)
    : store_(store), graph_(graph), file_(directory / store::text_index_file_name) {
  try {
    open();
  } catch (std::exception const& failed) {
    set_failure(failed.what());  // the thread tries again
  }
  thread_.start([this](std::stop_token const& stop) { return follow(stop); }, [] { work_behind_others(nice_most); });
}

void TextIndexer::split(std::string_view text, std::function<bool(schema::Word const&)> const& visit) const {
  splitters_.split(text, visit);
}

SearchFigures TextIndexer::figures() const {
  SearchFigures figures{.tx = TxId{indexed_.load()}, .begun_again = begun_again_.load()};
  {
    std::shared_lock const used(using_);
    if (database_) figures.file_bytes = database_->file_bytes();
  }
  std::lock_guard const lock(mutex_);
  figures.failure = failure_;
  return figures;
}

void TextIndexer::set_failure(std::string what) {
  std::lock_guard const lock(mutex_);
  failure_ = std::move(what);
}

bool TextIndexer::is_of_this_log(store::IndexPlace const& place) const {
  if (place.tx == TxId{0}) return true;
  if (place.tx > graph_.snapshot().tx()) return false;
  auto const entry = store_.log_entry(place.tx);
  return entry && schema::stored::leaf_hash(schema::stored::bytes_of(schema::stored::encode(*entry))) == place.leaf;
}

void TextIndexer::open() {
  std::unique_lock const alone(using_);
  database_ = store::TextDatabase::open(file_, store_.epoch());
  if (!is_of_this_log(database_->place())) {
    ++begun_again_;
    database_.reset();
    store::TextDatabase::remove(file_);
    database_ = store::TextDatabase::open(file_, store_.epoch());
  }
  indexed_ = number(database_->place().tx);
  is_damaged_ = false;
}

/// SQLite removes files by their names when it closes them, so the old ones are closed before there are new ones.
void TextIndexer::begin_again() {
  {
    std::unique_lock const alone(using_);
    ++begun_again_;
    database_.reset();
    store::TextDatabase::remove(file_);
    indexed_ = 0;
  }
  open();
}

schema::WokenThread::Sleep TextIndexer::follow(std::stop_token const& stop) {
  using Sleep = schema::WokenThread::Sleep;
  auto const try_again = [](std::chrono::milliseconds after) { return Sleep{.least = after, .most = after}; };
  try {
    if (!database_) open();
    if (is_damaged_) begin_again();
    bool const may_be_more = advance(stop);
    set_failure({});
    if (may_be_more) return try_again({});
    return has_removed_ ? try_again(index_pause) : Sleep{.least = index_pause};
  } catch (Stopped const&) {
    return {};
  } catch (store::TextDatabaseDamaged const& damaged) {
    is_damaged_ = true;
    set_failure(damaged.what());
    return try_again(begun_again_ < again_at_once ? std::chrono::milliseconds{} : pause_of_failure);
  } catch (std::exception const& failed) {
    set_failure(failed.what());
    return try_again(pause_of_failure);
  }
}

bool TextIndexer::advance(std::stop_token const& stop) {
  if (has_removed_) has_removed_ = !database_->forget_removed();
  auto const head = graph_.snapshot();
  if (indexed_ >= number(head.tx())) return false;
  auto const from = database_->place();
  auto const stretch = read_stretch(from, head);
  if (!stretch.gone.empty()) remove_gone(stretch, from, head, stop);
  IndexTransaction transaction(*database_);
  add_first(from.vertices, stretch.end.vertices, head, stop);
  add_revised(stretch.revised, from, head, head.as_of(stretch.end.tx));
  transaction.commit(stretch.end);
  indexed_ = number(stretch.end.tx);
  return true;
}

TextIndexer::Stretch TextIndexer::read_stretch(store::IndexPlace const& from, graph::Snapshot const& head) const {
  Stretch stretch{.end = from};
  std::uint64_t changes = 0;
  require_read(store_.read_commits(next(from.tx), [&](store::ReplayedCommit const& commit) {
    if (commit.tx > head.tx()) return false;
    stretch.end.tx = commit.tx;
    stretch.end.vertices += static_cast<std::uint32_t>(commit.rows.size());
    for (auto const& row : commit.revisions) stretch.revised.insert(row.vertex);
    stretch.gone.insert(commit.expired.begin(), commit.expired.end());
    stretch.gone.insert(commit.purged.begin(), commit.purged.end());
    changes += commit.rows.size() + commit.revisions.size() + 1;
    return changes < stretch_changes;
  }));
  auto const entry = value_or_throw(store_.log_entry(stretch.end.tx));
  stretch.end.leaf = schema::stored::leaf_hash(schema::stored::bytes_of(schema::stored::encode(entry)));
  return stretch;
}

std::vector<std::string> TextIndexer::texts_of(VertexId vertex, schema::StoredContent&& content,
                                               graph::Snapshot const& head) const {
  std::vector<std::string> texts;
  if (!content) return texts;
  auto const id = head.id(vertex);
  schema::complete(*content, id, {});
  require_read(schema::put_searched_texts(*content, store_));
  schema::for_each_text(*content, id, [&](schema::RecordText const& text) { texts.emplace_back(text.text); });
  return texts;
}

void TextIndexer::add_first(std::uint32_t begin, std::uint32_t end, graph::Snapshot const& head,
                            std::stop_token const& stop) {
  std::vector<schema::ContentId> contents;
  for (auto at = begin; at < end; at += static_cast<std::uint32_t>(contents.size())) {
    contents.clear();
    auto const slice_end = std::min<std::uint64_t>(end, std::uint64_t{at} + texts_per_slice);
    for (auto v = at; v < slice_end; ++v) contents.push_back({VertexId{v}, 0});
    require_read(store_.read(contents, [&](std::size_t i, schema::StoredContent&& content) {
      stop_if(stop);  // each record: a text may have megabytes, and the end of a server waits for this
      auto const vertex = contents[i].vertex;
      auto const texts = texts_of(vertex, std::move(content), head);
      if (!texts.empty()) database_->add(vertex, head.type(vertex), joined_texts(texts));
      return true;
    }));
  }
}

/// A revision that says nothing new, such as a keyword that was met again, needs no text of its own.
void TextIndexer::add_revised(std::set<VertexId> const& revised, store::IndexPlace const& from,
                              graph::Snapshot const& head, graph::Snapshot const& at) {
  auto const before = head.as_of(from.tx);
  for (auto const vertex : revised) {
    auto const count = at.contents_count(vertex);
    auto const known = before.contains(vertex) ? before.contents_count(vertex) : 1;
    std::vector<schema::ContentId> contents{{vertex, 0}};
    for (auto revision = std::max(known, 1U); revision < count; ++revision) contents.push_back({vertex, revision});
    std::set<std::string> first;
    bool is_new = false;
    require_read(store_.read(contents, [&](std::size_t i, schema::StoredContent&& content) {
      for (auto& text : texts_of(vertex, std::move(content), head)) {
        if (i == 0) {
          first.insert(std::move(text));
        } else {
          is_new = is_new || !first.contains(text);
        }
      }
      return true;
    }));
    if (!is_new) continue;
    contents.clear();
    for (std::uint32_t revision = 0; revision < count; ++revision) contents.push_back({vertex, revision});
    std::set<std::string> all;
    require_read(store_.read(contents, [&](std::size_t, schema::StoredContent&& content) {
      for (auto& text : texts_of(vertex, std::move(content), head)) all.insert(std::move(text));
      return true;
    }));
    database_->add_revised(vertex, head.type(vertex), joined_texts({all.begin(), all.end()}));
  }
}

/// Makes the tables that have texts of what is gone anew, each in a transaction: doing it again does no harm, and the
/// place in the log is passed only when all of it is done.
void TextIndexer::remove_gone(Stretch const& stretch, store::IndexPlace const& from, graph::Snapshot const& head,
                              std::stop_token const& stop) {
  std::set<std::uint32_t> shards;
  for (auto const vertex : stretch.gone) {
    if (number(vertex) < from.vertices) shards.insert(number(vertex) / store::shard_vertices);
  }
  for (auto const shard : shards) {
    IndexTransaction transaction(*database_);
    database_->clear_shard(shard);
    auto const begin = shard * store::shard_vertices;
    add_first(begin, std::min(from.vertices, begin + store::shard_vertices), head, stop);
    transaction.commit(from);
  }
  IndexTransaction transaction(*database_);
  auto const cleared = database_->clear_revised({stretch.gone.begin(), stretch.gone.end()});
  // As if nothing of them had been known.
  add_revised({cleared.begin(), cleared.end()}, {}, head, head.as_of(from.tx));
  transaction.commit(from);
  has_removed_ = true;
}

Result<schema::WordsFound> TextIndexer::find(schema::WordQuery const& query, schema::Interrupt const& interrupt) const {
  schema::WordsFound found;
  store::IndexPlace place;
  try {
    std::shared_lock const used(using_);
    if (database_ && !is_damaged_) {
      auto hits = database_->find(query, interrupt);
      place = hits.place;
      found.indexed = std::move(hits.vertices);
      found.is_cut = hits.is_cut;
    }
  } catch (store::TextDatabaseDamaged const&) {
    is_damaged_ = true;
    thread_.wake();
  } catch (std::runtime_error const& failed) {
    return Error{.code = Errc::internal_error, .message = failed.what()};
  }
  if (query.tx > place.tx) {
    try {
      add_unread(query, place, found);
    } catch (std::runtime_error const& failed) {
      return Error{.code = Errc::corrupt, .message = failed.what()};
    }
  }
  return found;
}

/// What cannot be read is missing: these are offers.
std::vector<std::string> TextIndexer::words_like(std::string_view word, schema::Interrupt const& interrupt) const {
  std::string const first{word.substr(0, schema::start_of_code_point(word, 1))};
  auto end = first;
  end += "\xF4\x8F\xBF\xBF";  // the last character there is
  try {
    std::shared_lock const used(using_);
    if (database_ && !is_damaged_ && !first.empty()) return database_->words_from(first, end, interrupt);
  } catch (store::TextDatabaseDamaged const&) {
    is_damaged_ = true;
    thread_.wake();
  } catch (std::runtime_error const&) {
  }
  return {};
}

/// What the index has not read: the newest vertices, and what was revised, where these are few.
void TextIndexer::add_unread(schema::WordQuery const& query, store::IndexPlace const& place,
                             schema::WordsFound& found) const {
  auto const new_vertices = query.vertices - std::min(query.vertices, place.vertices);
  auto const new_begin = query.vertices - std::min(new_vertices, unread_vertices_max);
  found.is_behind = new_vertices > unread_vertices_max;
  for (auto v = query.vertices; v > new_begin; --v) found.unread.push_back(VertexId{v - 1});
  if (found.is_behind) return;
  auto const last = number(query.tx);
  auto const first = std::max(number(place.tx) + 1, last - std::min(last, unread_transactions_max) + 1);
  found.is_behind = first > number(place.tx) + 1;
  std::set<VertexId> revised;
  require_read(store_.read_commits(TxId{first}, [&](store::ReplayedCommit const& commit) {
    if (number(commit.tx) > last) return false;
    for (auto const& row : commit.revisions) {
      if (number(row.vertex) < new_begin) revised.insert(row.vertex);
    }
    return number(commit.tx) < last && revised.size() < unread_vertices_max;
  }));
  found.is_behind = found.is_behind || revised.size() >= unread_vertices_max;
  found.unread.insert(found.unread.end(), revised.rbegin(), revised.rend());
}

}  // namespace whence::engine
