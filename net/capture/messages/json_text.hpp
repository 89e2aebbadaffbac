#pragma once
// Values that came as JSON text, and values as text.

#include "schema/base/digest.hpp"

#include <string>

#include <boost/json/value.hpp>

namespace whence::net::capture {

/// `value`, or what it holds where it is the text of a JSON list or object. A text of more than 200,000 values stays
/// one.
[[nodiscard]] boost::json::value structured(boost::json::value const& value);

/// The text of a value: a text as it is, else its compact JSON; of null empty.
[[nodiscard]] std::string text_of(boost::json::value const& value);

/// The first 32 hex digits of the SHA-256 of a value's canonical text.
[[nodiscard]] std::string hash_of(boost::json::value const& value);
/// The same of HMAC-SHA-256, which nobody without the key can try a guess against.
[[nodiscard]] std::string hash_of(schema::SecretKey const& key, boost::json::value const& value);

}  // namespace whence::net::capture
