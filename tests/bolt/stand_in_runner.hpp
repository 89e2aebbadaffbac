#pragma once
// A runner of a few fixed statements, for tests of Bolt without a query language.

#include "net/bolt/runner.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::test {

/// Rows of one column. `write` writes the value of the row with that number, from 1.
class StandInCursor final : public net::bolt::Cursor {
 public:
  using Write = void (*)(net::bolt::PackWriter& out, std::int64_t row, net::bolt::Value const& value);

  StandInCursor(std::string field, std::int64_t rows, Write write, net::bolt::Value value = {})
      : fields_{std::move(field)}, rows_{rows}, write_{write}, value_{std::move(value)} {}

  [[nodiscard]] std::vector<std::string> const& fields() const override { return fields_; }

  [[nodiscard]] net::bolt::Outcome<bool> next(net::bolt::RowSink& rows, net::bolt::RowBounds bounds,
                                              schema::Interrupt const& interrupt) override {
    while (row_ < rows_ && rows.rows() < bounds.rows_max && rows.text().size() < bounds.bytes_max) {
      if (interrupt.check(1) != schema::Stop::none) return stopped();
      auto out = rows.begin_row(1);
      write_(out, ++row_, value_);
      rows.end_row();
    }
    return row_ < rows_;
  }

  static net::bolt::Failure stopped() {
    return {.kind = net::bolt::FailureKind::transaction_timed_out, .message = "stopped"};
  }

 private:
  std::vector<std::string> fields_;
  std::int64_t rows_;
  std::int64_t row_ = 0;
  Write write_;
  net::bolt::Value value_;
};

/// Answers `RETURN $name`, `UNWIND range(1, $n) AS i RETURN i`, `MATCH p RETURN p` (a path of two nodes), `RETURN tx()`
/// (the moment asked about), `WAIT` (until it is interrupted, or its time is over) and `CREATE (n)` (refused). All else
/// is a syntax error.
class StandInRunner final : public net::bolt::QueryRunner {
 public:
  [[nodiscard]] net::bolt::Outcome<std::unique_ptr<net::bolt::Cursor>> start(
      net::bolt::Statement statement, schema::Interrupt const& interrupt) override {
    using net::bolt::FailureKind;
    constexpr std::string_view echo = "RETURN $";
    std::string_view const text{statement.text};
    if (text == "UNWIND range(1, $n) AS i RETURN i") {
      auto const* const rows = net::bolt::find_as<std::int64_t>(statement.parameters, "n");
      if (rows == nullptr) return missing("n");
      return cursor("i", *rows, [](auto& out, std::int64_t row, auto const&) { out.integer(row); });
    }
    if (text == "MATCH p RETURN p") return cursor("p", 1, write_path);
    if (text == "RETURN tx()") {
      net::bolt::Value moment;
      if (auto const* const tx = std::get_if<schema::TxId>(&statement.as_of)) {
        moment.data = static_cast<std::int64_t>(number(*tx));
      } else {
        moment.data = schema::format_rfc3339(std::get<schema::Time>(statement.as_of));
      }
      return cursor("tx()", 1, write_value, std::move(moment));
    }
    if (text == "WAIT") return wait(interrupt);
    if (text.starts_with("CREATE")) {
      return net::bolt::Failure{.kind = FailureKind::access_mode, .message = "CREATE: nothing is written here"};
    }
    if (!text.starts_with(echo)) {
      return net::bolt::Failure{.kind = FailureKind::syntax_error, .message = "this statement is not known"};
    }
    auto const name = text.substr(echo.size());
    auto const* const value = net::bolt::find(statement.parameters, name);
    if (value == nullptr) return missing(name);
    return cursor("$" + std::string{name}, 1, write_value, *value);
  }

 private:
  using Made = net::bolt::Outcome<std::unique_ptr<net::bolt::Cursor>>;

  static Made cursor(std::string field, std::int64_t rows, StandInCursor::Write write, net::bolt::Value value = {}) {
    return std::unique_ptr<net::bolt::Cursor>{
        std::make_unique<StandInCursor>(std::move(field), rows, write, std::move(value))};
  }

  static Made missing(std::string_view name) {
    return net::bolt::Failure{.kind = net::bolt::FailureKind::parameter_missing,
                              .message = "$" + std::string{name} + " is missing"};
  }

  /// Looks for the interrupt every millisecond.
  static Made wait(schema::Interrupt const& interrupt) {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock{mutex};
    while (interrupt.check(1) == schema::Stop::none) never.wait_for(lock, std::chrono::milliseconds{1});
    return StandInCursor::stopped();
  }

  static void write_value(net::bolt::PackWriter& out, std::int64_t, net::bolt::Value const& value) { out.value(value); }

  static void write_path(net::bolt::PackWriter& out, std::int64_t, net::bolt::Value const&) {
    std::vector<std::string> const labels{"Response"};
    out.begin_path();
    out.begin_list(2);
    for (std::int64_t const id : {7, 8}) {
      out.begin_node(id, labels);
      out.begin_map(1);
      out.text("id");
      out.text("resp_" + std::to_string(id));
      out.end_node("Response:resp_" + std::to_string(id));
    }
    out.begin_list(1);
    out.begin_unbound(3, "USED_IN");
    out.begin_map(1);
    out.text("weight");
    out.real(0.5);
    out.end_unbound("edge:3");
    out.begin_list(2);
    out.integer(-1);
    out.integer(1);
  }
};

}  // namespace whence::test
