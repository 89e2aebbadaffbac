#pragma once
// Free data: JSON that a client keeps in a record and that no code here interprets.

#include <string>

namespace whence::schema {

/// Free data of a client in any record: a JSON object as compact UTF-8 text with sorted keys, so that equal
/// objects have equal text. At most `limits::attributes_bytes_max` bytes.
struct Attributes {
  std::string json = {};

  friend bool operator==(Attributes const&, Attributes const&) = default;
};

/// A JSON object kept as it came: compact UTF-8 text with its members in the order given. At most
/// `limits::questions_bytes_max` bytes. Equal are objects that differ in that order only.
struct QuestionSet {
  std::string json = {};
  std::string sorted = {};  ///< the same with sorted keys; empty where `json` is sorted already

  friend bool operator==(QuestionSet const& a, QuestionSet const& b) { return a.canonical() == b.canonical(); }

 private:
  [[nodiscard]] std::string const& canonical() const noexcept { return sorted.empty() ? json : sorted; }
};

}  // namespace whence::schema
