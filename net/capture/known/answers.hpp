#pragma once
// What the calls of the traces in hand answered.

#include "net/capture/known/traces.hpp"
#include "schema/base/error.hpp"

#include <map>
#include <string>

namespace whence::net::capture {

/// Of one derivation, once all messages are added.
class Answers {
 public:
  explicit Answers(Traces const& all) : all_(all) {}

  /// The hash of what a call answered, as its span or else log records say; empty: neither does.
  [[nodiscard]] std::string const& hash_of(std::string const& trace, std::string const& span,
                                           SpanFacts const& facts) const;

  /// What a call answered; empty where it is gone. Fails as `RecordReader::read`.
  [[nodiscard]] Result<std::string> text_of(SpanName const& name) const;

 private:
  struct Logged {
    std::string text = {};
    std::string hash = {};
  };

  Traces const& all_;
  mutable std::map<std::string, std::map<std::string, Logged>> logged_;  // by trace and span: answers in log records
};

}  // namespace whence::net::capture
