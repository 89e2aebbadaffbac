#pragma once
// Hands the bytes of a document to Xerces as UTF-16, its own form: its decoder of UTF-8 reads a byte at a time.

#include "schema/xml/parser/memory.hpp"

#include <string_view>

#include <xercesc/sax/InputSource.hpp>

namespace whence::schema::xml {

/// A document of well-formed UTF-8 for one parse.
class Source final : public xercesc::InputSource {
 public:
  /// Both outlive it.
  Source(std::string_view bytes, CountingMemory& memory);

  [[nodiscard]] xercesc::BinInputStream* makeStream() const override;

 private:
  std::string_view bytes_;
};

}  // namespace whence::schema::xml
