#pragma once
// Failures: `Errc` names the kind, `Error` says where and why, `Result` returns it.

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

namespace whence {

/// The kinds of expected failure. The wire code of each is in one table, in net/base/errors.cpp.
enum class Errc : std::uint8_t {
  parse_error = 1,
  invalid_request,
  method_not_found,
  invalid_params,
  internal_error,
  cancelled,
  deadline_exceeded,
  unauthenticated,
  forbidden,
  not_found,
  expired,
  purged,
  invalid_record,
  invalid_xml,
  conflict,
  cycle,
  precondition,
  limit_exceeded,
  busy,
  cursor_invalid,
  resume_impossible,
  storage_full,
  corrupt,
};

/// The stable name of an error ("invalid_record"), as the protocol spells it.
std::string_view name_of(Errc code) noexcept;
std::ostream& operator<<(std::ostream& out, Errc code);

boost::system::error_category const& error_category() noexcept;
boost::system::error_code make_error_code(Errc code) noexcept;

/// A place in an XML document, and the kind of fault there.
struct XmlPlace {
  std::string error = {};    ///< its name in the contract ("missing_element"); empty for a warning
  std::uint64_t line = 1;    ///< from 1
  std::uint64_t column = 1;  ///< from 1, in characters

  friend bool operator==(XmlPlace const&, XmlPlace const&) = default;
};

/// One broken rule: which record of the batch (or ref of a list), which member, which rule, what was seen.
struct Violation {
  Errc code = Errc::invalid_record;
  std::string rule = {};                    ///< stable rule name, e.g. "length", "unknown_reference"
  std::string path = {};                    ///< JSON Pointer from the record, or from `params`
  std::optional<std::uint32_t> index = {};  ///< place in the batch or list, from 0; absent where there is none
  std::string seen = {};             ///< the offending value as compact text, cut to `schema::limits::seen_bytes_max`
  std::string message = {};          ///< a sentence for people
  std::optional<XmlPlace> xml = {};  ///< of a document: `path` is then the element's or attribute's place in it
  std::optional<std::int64_t> expected = {};  ///< the one number that would have been right, where there is one

  friend bool operator==(Violation const&, Violation const&) = default;
};

std::ostream& operator<<(std::ostream& out, Violation const& violation);

/// A refused or failed operation. `violations` is empty where the code and the message say it all.
struct Error {
  Errc code = Errc::internal_error;
  std::string message = {};
  std::vector<Violation> violations = {};  ///< sorted by (index, path), at most `schema::limits::violations_max`
  std::optional<std::uint64_t> tx = {};    ///< the head, where a precondition on it failed
  std::optional<std::uint32_t> retry_after_ms = {};  ///< with `busy`: when to try again
  /// With `busy` and `deadline_exceeded` of a write: it may have been carried out, or may still be. Without it nothing
  /// was written.
  bool is_outcome_unknown = false;
  std::optional<std::string> epoch = {};  ///< the log's epoch, where the caller named another one

  [[nodiscard]] boost::system::error_code error_code() const noexcept { return make_error_code(code); }
  friend bool operator==(Error const&, Error const&) = default;
};

std::ostream& operator<<(std::ostream& out, Error const& error);

/// Thrown by `Result::value()` on an error; only tests and `main` call that.
[[noreturn]] void throw_exception_from_error(Error const& error, boost::source_location const& where);

template <class T>
using Result = boost::system::result<T, Error>;

/// One violation as a whole error with the violation's code, and its message after its place.
Error error_from(Violation violation);

/// All violations of a request as one error: sorted by (index, path), with the first one's code on top, and its
/// message after its place.
/// `violations` must not be empty; what exceeds `schema::limits::violations_max` is dropped.
Error error_from(std::vector<Violation> violations);

}  // namespace whence

template <>
struct boost::system::is_error_code_enum<whence::Errc> : std::true_type {};
