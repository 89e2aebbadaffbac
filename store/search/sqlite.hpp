#pragma once
// SQLite as values with owners: a connection, a statement, and its failures. Private to store/search.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace whence::store::sqlite {

/// A call that failed.
class Failure : public std::runtime_error {
 public:
  Failure(int code, std::string const& what) : std::runtime_error(what), code_(code) {}
  /// Whether the file is to blame and not the disk, the memory or another process.
  [[nodiscard]] bool is_damage() const noexcept;

 private:
  int code_;
};

/// A prepared statement. Its members throw Failure.
class Statement {
 public:
  Statement(sqlite3* connection, std::string const& sql);

  Statement& bind(int place, std::int64_t number);
  /// `text` stays until the statement is run or reset.
  Statement& bind(int place, std::string_view text);
  Statement& bind(int place, std::span<std::uint8_t const> bytes);
  /// The next row, if there is one; resets itself at the end.
  [[nodiscard]] bool step();
  /// Runs it to its end, whatever rows there are.
  void run();
  void reset() noexcept;

  // Of the row.
  [[nodiscard]] std::int64_t number(int column) const;
  [[nodiscard]] std::string text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  void check(int code) const;

  sqlite3* connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

enum class Access : std::uint8_t { write, read };

/// One connection, for one thread at a time. It knows the tokenizer `words`.
class Connection {
 public:
  /// Throws Failure.
  Connection(std::filesystem::path const& file, Access access);

  void run(std::string const& sql);
  [[nodiscard]] Statement prepare(std::string const& sql) { return {connection_.get(), sql}; }
  /// Runs `sql` where it can; says whether it did.
  bool try_to_run(std::string const& sql) noexcept;

 private:
  struct Close {
    void operator()(sqlite3* connection) const noexcept;
  };
  std::unique_ptr<sqlite3, Close> connection_;
};

}  // namespace whence::store::sqlite
