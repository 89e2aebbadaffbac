#pragma once
// Collecting the violations of a document: the place of each, and the list it is added to.

#include "schema/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// A place inside a document, as a chain of steps that lives on the stack while the document is walked; the JSON
/// Pointer (RFC 6901) is only made where something is wrong. A step views its name and refers to the place it starts
/// from: both outlive it. Do not keep one.
class Path {
 public:
  constexpr Path() = default;  ///< the document itself
  constexpr Path(Path const& parent, std::string_view member) : parent_(&parent), member_(member) {}
  constexpr Path(Path const& parent, std::size_t item) : parent_(&parent), item_(item), is_item_(true) {}

  /// "/context_units/3/weight", with `~` and `/` in names escaped; the document itself is "".
  [[nodiscard]] std::string pointer() const;

 private:
  Path const* parent_ = nullptr;
  std::string_view member_;
  std::size_t item_ = 0;
  bool is_item_ = false;
};

/// Collects the violations of one record, or of one request's params. A place is reported once: a violation at or below
/// a reported place is dropped, since the value there is a default. (A violation of the document as a whole hides no
/// other.) Not thread-safe.
class Report {
 public:
  /// Appends to `into`, which outlives the report and holds the violations of this document only; those already in it
  /// count as reported. New ones get `code`.
  explicit Report(std::vector<Violation>& into, Errc code = Errc::invalid_record) : into_(into), code_(code) {}
  /// Of a copy of what was recorded elsewhere, which has members that only the server sets (`Presence::copied`).
  [[nodiscard]] static Report of_copy(std::vector<Violation>& into) {
    Report report(into);
    report.is_of_copy_ = true;
    return report;
  }
  [[nodiscard]] bool is_of_copy() const noexcept { return is_of_copy_; }

  /// Adds a violation unless the place is reported. `seen` is cut. Beyond a thousand, further ones are dropped: ten
  /// times what an answer shows, so that the lowest by path are among them and a hostile record cannot make the work
  /// quadratic.
  void add(Path const& at, std::string_view rule, std::string_view seen, std::string message);

  void add(std::string pointer, std::string_view rule, std::string_view seen, std::string message);

  /// Whether something is wrong with the value at `at` or with one that holds it.
  [[nodiscard]] bool has(Path const& at) const;

  /// Whether something is wrong with the value at `at`, with one that holds it, or with one it holds.
  [[nodiscard]] bool has_within(Path const& at) const;

  [[nodiscard]] bool is_empty() const noexcept { return into_.empty(); }

 private:
  [[nodiscard]] bool has(std::string_view pointer) const noexcept;

  std::vector<Violation>& into_;
  Errc code_;
  bool is_of_copy_ = false;
};

/// A value as `Violation::seen` shows it: shortest number, text in quotes (unescaped, cut).
[[nodiscard]] std::string shown(double value);
[[nodiscard]] std::string shown(std::int64_t value);
[[nodiscard]] std::string shown(std::uint64_t value);
[[nodiscard]] std::string shown(std::string_view text);

/// Appends `/` and `step` to a JSON Pointer, escaped.
void append_step(std::string& pointer, std::string_view step);

}  // namespace whence::schema
