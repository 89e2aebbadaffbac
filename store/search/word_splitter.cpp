// `unicode61` in a shell that cuts words, for tables of FTS5 and for direct calls.
#include "store/search/word_splitter.hpp"

#include "schema/encoding/code_points.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sqlite3.h>

namespace whence::store {
namespace {

/// The interface of FTS5 that a connection has. Null where it has none.
fts5_api* find_fts5(sqlite3* connection) {
  fts5_api* api = nullptr;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, nullptr) == SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, static_cast<void*>(&api), "fts5_api_ptr", nullptr);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  return api;
}

/// The longest beginning of `word` that ends with a whole character and fits.
std::string_view cut_word(std::string_view word) {
  if (word.size() <= schema::word_bytes_max) return word;
  std::size_t end = schema::word_bytes_max;
  while (end > 0 && schema::is_continuation(word[end])) --end;
  return word.substr(0, end);
}

/// Whether `word` begins with a character by which the index marks types (U+E000 to U+E03F, for private use) or stems:
/// no text finds such a mark.
bool is_mark(std::string_view word) {
  return word.starts_with("\xEE\x80") || word.starts_with(stem_mark);
}

/// Whether the rules know words of these letters: others are their own stems.
bool may_have_stem(std::string_view word) {
  constexpr std::size_t bytes_min = 3;
  return word.size() >= bytes_min && std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
}

using Token = int (*)(void* context, int flags, char const* token, int bytes, int begin, int end);

/// A tokenizer of SQLite. Its calls write to it: one thread at a time.
class BuiltIn {
 public:
  BuiltIn(fts5_api& api, char const* name, std::vector<char const*> arguments) {
    void* context = nullptr;
    bool const is_made =
        api.xFindTokenizer(&api, name, &context, &functions_) == SQLITE_OK &&
        functions_.xCreate(context, arguments.data(), static_cast<int>(arguments.size()), &made_) == SQLITE_OK;
    if (!is_made) throw std::runtime_error("SQLite has no tokenizer " + std::string(name));
  }
  ~BuiltIn() { functions_.xDelete(made_); }
  BuiltIn(BuiltIn const&) = delete;
  BuiltIn& operator=(BuiltIn const&) = delete;

  int run(void* context, int flags, char const* text, int bytes, Token token) {
    return functions_.xTokenize(made_, context, flags, text, bytes, token);
  }

 private:
  fts5_tokenizer functions_ = {};
  Fts5Tokenizer* made_ = nullptr;
};

/// Words, and what stems they have. One thread at a time.
class Tokenizer {
 public:
  explicit Tokenizer(fts5_api& api)
      : words_(api, "unicode61", {"remove_diacritics", "2"}),
        stems_(api, "porter", {"unicode61", "remove_diacritics", "2"}) {}

  int run(void* context, int flags, char const* text, int bytes, Token token) {
    return words_.run(context, flags, text, bytes, token);
  }

  /// Valid until the next call. `word` is folded and cut.
  std::string_view stem_of(std::string_view word) {
    if (!may_have_stem(word)) return word;
    stem_.clear();
    auto const take = [](void* into, int /*flags*/, char const* token, int bytes, int /*begin*/, int /*end*/) {
      static_cast<std::string*>(into)->append(token, static_cast<std::size_t>(bytes));
      return SQLITE_OK;
    };
    stems_.run(&stem_, FTS5_TOKENIZE_DOCUMENT, word.data(), static_cast<int>(word.size()), take);
    return stem_.empty() ? word : std::string_view(stem_);
  }

 private:
  BuiltIn words_;
  BuiltIn stems_;
  std::string stem_ = {};
};

/// What a table of FTS5 calls for each word.
struct WordTarget {
  void* context;
  Token token;
  Tokenizer& tokenizer;
  bool is_sought;  ///< the text is a question
};

int pass_cut(void* context, int flags, char const* token, int bytes, int begin, int end) {
  auto const& target = *static_cast<WordTarget const*>(context);
  auto const word = cut_word({token, static_cast<std::size_t>(bytes)});
  if (target.is_sought) {
    return target.token(target.context, flags, word.data(), static_cast<int>(word.size()), begin, end);
  }
  if (word.starts_with(stem_mark)) return SQLITE_OK;  // it would pass for a stem
  int const taken = target.token(target.context, flags, word.data(), static_cast<int>(word.size()), begin, end);
  if (taken != SQLITE_OK) return taken;
  auto const stem = target.tokenizer.stem_of(word);
  if (stem == word) return SQLITE_OK;
  auto const marked = std::string(stem_mark).append(stem);
  return target.token(target.context, flags | FTS5_TOKEN_COLOCATED, marked.data(), static_cast<int>(marked.size()),
                      begin, end);
}

int create_words(void* api, char const** /*arguments*/, int /*count*/, Fts5Tokenizer** made) {
  try {
    *made = reinterpret_cast<Fts5Tokenizer*>(new Tokenizer(*static_cast<fts5_api*>(api)));
    return SQLITE_OK;
  } catch (std::exception const&) {
    return SQLITE_ERROR;
  }
}
void delete_words(Fts5Tokenizer* made) {
  delete reinterpret_cast<Tokenizer*>(made);
}
int split_words(Fts5Tokenizer* made, void* context, int flags, char const* text, int bytes, Token token) {
  auto& tokenizer = *reinterpret_cast<Tokenizer*>(made);
  WordTarget target{context, token, tokenizer, (flags & FTS5_TOKENIZE_QUERY) != 0};
  return tokenizer.run(&target, flags, text, bytes, pass_cut);
}

}  // namespace

void register_words(sqlite3* connection) {
  auto* const api = find_fts5(connection);
  if (api == nullptr) throw std::runtime_error("SQLite has no FTS5");
  fts5_tokenizer functions{create_words, delete_words, split_words};
  if (api->xCreateTokenizer(api, "words", api, &functions, nullptr) != SQLITE_OK)
    throw std::runtime_error("SQLite takes no tokenizer");
}

struct WordSplitter::Impl {
  struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close(connection); }
  };

  static std::unique_ptr<sqlite3, Close> open() {
    sqlite3* connection = nullptr;
    int const flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
    int const opened = sqlite3_open_v2(":memory:", &connection, flags, nullptr);
    std::unique_ptr<sqlite3, Close> owned(connection);
    if (opened != SQLITE_OK || find_fts5(connection) == nullptr) throw std::runtime_error("SQLite has no FTS5");
    return owned;
  }

  std::unique_ptr<sqlite3, Close> connection = open();
  Tokenizer tokenizer{*find_fts5(connection.get())};
};

WordSplitter::WordSplitter() : impl_(std::make_unique<Impl>()) {}
WordSplitter::~WordSplitter() = default;

void WordSplitter::split(std::string_view text, std::function<bool(schema::Word const&)> const& visit) const {
  struct Taking {
    std::function<bool(schema::Word const&)> const& visit;
    Tokenizer& tokenizer;
  };
  auto const take = [](void* context, int /*flags*/, char const* token, int bytes, int begin, int end) {
    auto const& taking = *static_cast<Taking const*>(context);
    auto const word = cut_word({token, static_cast<std::size_t>(bytes)});
    if (is_mark(word)) return SQLITE_OK;
    bool const goes_on = taking.visit(
        {word, static_cast<std::size_t>(begin), static_cast<std::size_t>(end), taking.tokenizer.stem_of(word)});
    return goes_on ? SQLITE_OK : SQLITE_DONE;
  };
  Taking taking{visit, impl_->tokenizer};
  // No text of a record is longer than an int can say; one that were would be cut.
  auto const bytes = static_cast<int>(std::min<std::size_t>(text.size(), std::numeric_limits<int>::max()));
  impl_->tokenizer.run(&taking, FTS5_TOKENIZE_DOCUMENT, text.data(), bytes, take);
}

struct WordSplitters::Impl {
  std::unique_ptr<WordSplitter> take() {
    {
      std::lock_guard const lock(mutex);
      if (!idle.empty()) {
        auto taken = std::move(idle.back());
        idle.pop_back();
        return taken;
      }
    }
    return std::make_unique<WordSplitter>();
  }
  void give_back(std::unique_ptr<WordSplitter> splitter) {
    std::lock_guard const lock(mutex);
    idle.push_back(std::move(splitter));
  }

  std::mutex mutex;
  std::vector<std::unique_ptr<WordSplitter>> idle;  // as many as threads ever asked at once
};

WordSplitters::WordSplitters() : impl_(std::make_unique<Impl>()) {}
WordSplitters::~WordSplitters() = default;

void WordSplitters::split(std::string_view text, std::function<bool(schema::Word const&)> const& visit) const {
  auto splitter = impl_->take();
  splitter->split(text, visit);
  impl_->give_back(std::move(splitter));
}

}  // namespace whence::store
