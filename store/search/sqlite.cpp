// Return codes become exceptions.
#include "store/search/sqlite.hpp"

#include "store/search/word_splitter.hpp"

#include <sqlite3.h>

namespace whence::store::sqlite {
namespace {

constexpr int busy_ms = 10'000;

[[noreturn]] void fail(sqlite3* connection, int code, std::string const& what) {
  std::string message = "SQLite: " + what + ": ";
  message += connection != nullptr ? sqlite3_errmsg(connection) : sqlite3_errstr(code);
  throw Failure(code, message);
}

}  // namespace

bool Failure::is_damage() const noexcept {
  switch (code_ & 0xFF) {  // the primary code
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_INTERRUPT:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return false;
    default:
      return true;
  }
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const noexcept {
  sqlite3_finalize(statement);
}

Statement::Statement(sqlite3* connection, std::string const& sql) : connection_(connection) {
  sqlite3_stmt* made = nullptr;
  int const code = sqlite3_prepare_v3(connection, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &made, nullptr);
  statement_.reset(made);
  if (code != SQLITE_OK) fail(connection, code, sql);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) fail(connection_, code, sqlite3_sql(statement_.get()));
}

Statement& Statement::bind(int place, std::int64_t number) {
  check(sqlite3_bind_int64(statement_.get(), place, number));
  return *this;
}

Statement& Statement::bind(int place, std::string_view text) {
  check(sqlite3_bind_text64(statement_.get(), place, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(int place, std::span<std::uint8_t const> bytes) {
  check(sqlite3_bind_blob64(statement_.get(), place, bytes.data(), bytes.size(), SQLITE_STATIC));
  return *this;
}

bool Statement::step() {
  int const code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    reset();
    return false;
  }
  std::string const message =
      std::string("SQLite: ") + sqlite3_sql(statement_.get()) + ": " + sqlite3_errmsg(connection_);
  reset();
  throw Failure(code, message);
}

void Statement::run() {
  while (step()) {
  }
}

void Statement::reset() noexcept {
  sqlite3_reset(statement_.get());
}

std::int64_t Statement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::text(int column) const {
  auto const* const bytes = static_cast<char const*>(sqlite3_column_blob(statement_.get(), column));
  auto const size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return bytes == nullptr ? std::string{} : std::string{bytes, size};
}

void Connection::Close::operator()(sqlite3* connection) const noexcept {
  sqlite3_close_v2(connection);
}

Connection::Connection(std::filesystem::path const& file, Access access) {
  sqlite3* opened = nullptr;
  int const flags = access == Access::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE;
  // One process has the index. What its connections share is in its memory then, not in a mapped file beside the
  // database, which somebody may cut: that would end the process by a signal.
  constexpr auto shares_within_process = "unix-excl";
  int const code = sqlite3_open_v2(file.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, shares_within_process);
  connection_.reset(opened);
  if (code != SQLITE_OK) fail(opened, code, "opening " + file.filename().string());
  sqlite3_busy_timeout(opened, busy_ms);
  register_words(opened);
}

void Connection::run(std::string const& sql) {
  int const code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(connection_.get(), code, sql);
}

bool Connection::try_to_run(std::string const& sql) noexcept {
  return sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

}  // namespace whence::store::sqlite
