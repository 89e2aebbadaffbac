#pragma once
// The index of texts of a running engine: a thread that reads the log after it was committed, and the look-up of words.

#include "engine/search/search_figures.hpp"
#include "graph/graph.hpp"
#include "schema/search/text_index.hpp"
#include "schema/threads/woken_thread.hpp"
#include "store/log/store.hpp"
#include "store/search/text_database.hpp"
#include "store/search/word_splitter.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace whence::engine {

/// Follows one store. It reads what every reader may read and asks nothing of the writer: a write is answered as soon
/// without it. The index is never ahead of the log; it is made anew where it is missing, damaged, or of another log.
/// Callable from any thread.
class TextIndexer final : public schema::TextIndex {
 public:
  /// Opens `search.db` in the store's directory and begins. `store` and `graph` outlive it.
  TextIndexer(store::Store const& store, graph::Graph const& graph, std::filesystem::path const& directory);
  ~TextIndexer() override = default;

  void split(std::string_view text, std::function<bool(schema::Word const&)> const& visit) const override;
  [[nodiscard]] Result<schema::WordsFound> find(schema::WordQuery const& query,
                                                schema::Interrupt const& interrupt) const override;
  [[nodiscard]] std::vector<std::string> words_like(std::string_view word,
                                                    schema::Interrupt const& interrupt) const override;
  [[nodiscard]] SearchFigures figures() const;
  /// Something was published. Any thread; cheap.
  void wake() { thread_.wake(); }

 private:
  /// A stretch of the log, as much as is indexed in one transaction.
  struct Stretch {
    store::IndexPlace end = {};
    std::set<schema::VertexId> revised = {};
    std::set<schema::VertexId> gone = {};
  };

  schema::WokenThread::Sleep follow(std::stop_token const& stop);
  /// Indexes the next stretch; false where there is none.
  bool advance(std::stop_token const& stop);
  Stretch read_stretch(store::IndexPlace const& from, graph::Snapshot const& head) const;
  void add_first(std::uint32_t begin, std::uint32_t end, graph::Snapshot const& head, std::stop_token const& stop);
  void add_revised(std::set<schema::VertexId> const& revised, store::IndexPlace const& from,
                   graph::Snapshot const& head, graph::Snapshot const& at);
  void remove_gone(Stretch const& stretch, store::IndexPlace const& from, graph::Snapshot const& head,
                   std::stop_token const& stop);
  /// The texts of one content, each.
  std::vector<std::string> texts_of(schema::VertexId vertex, schema::StoredContent&& content,
                                    graph::Snapshot const& head) const;
  void open();
  void begin_again();
  bool is_of_this_log(store::IndexPlace const& place) const;
  void add_unread(schema::WordQuery const& query, store::IndexPlace const& place, schema::WordsFound& found) const;
  void set_failure(std::string what);

  store::Store const& store_;
  graph::Graph const& graph_;
  std::filesystem::path const file_;
  store::WordSplitters splitters_;
  mutable std::shared_mutex using_;  // shared: the database is used; alone: it is exchanged
  std::unique_ptr<store::TextDatabase> database_;
  mutable std::atomic<bool> is_damaged_ = false;  // found so by a reader
  std::atomic<std::uint64_t> indexed_ = 0;
  std::atomic<std::uint64_t> begun_again_ = 0;
  bool has_removed_ = false;  // texts that are still in the file beside; of the thread
  mutable std::mutex mutex_;  // guards the next
  std::string failure_;
  mutable schema::WokenThread thread_{{}, "index", "it is tried again"};  // its failure is in the figures. Last
};

}  // namespace whence::engine
