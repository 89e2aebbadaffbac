// Units are made straight in the buffer of Xerces, so no second form of the document is held.
#include "schema/xml/parser/source.hpp"

#include "schema/xml/parser/place.hpp"
#include "schema/xml/utf16.hpp"

#include <xercesc/util/BinInputStream.hpp>
#include <xercesc/util/XMLUni.hpp>

namespace whence::schema::xml {
namespace {

class Stream final : public xercesc::BinInputStream {
 public:
  explicit Stream(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] XMLFilePos curPos() const override { return read_; }
  [[nodiscard]] XMLCh const* getContentType() const override { return nullptr; }

  XMLSize_t readBytes(XMLByte* out, XMLSize_t size) override {
    Widened const widened = widen(bytes_, out, size / sizeof(XMLCh));
    bytes_.remove_prefix(widened.bytes);
    read_ += widened.units * sizeof(XMLCh);
    return widened.units * sizeof(XMLCh);
  }

 private:
  std::string_view bytes_;  ///< not read yet
  XMLFilePos read_ = 0;
};

/// Xerces takes a document that is nothing but a byte order mark for one with a wrong character.
std::string_view without_mark(std::string_view bytes) noexcept {
  std::size_t const mark = byte_order_mark(bytes);
  return bytes.size() > mark ? bytes.substr(mark) : bytes;
}

}  // namespace

Source::Source(std::string_view bytes, CountingMemory& memory) : InputSource(&memory), bytes_(without_mark(bytes)) {
  setEncoding(xercesc::XMLUni::fgXMLChEncodingString);
}

xercesc::BinInputStream* Source::makeStream() const {
  return new (getMemoryManager()) Stream(bytes_);
}

}  // namespace whence::schema::xml
