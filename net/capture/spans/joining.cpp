#include "net/capture/spans/joining.hpp"

#include "net/capture/spans/attributes.hpp"
#include "net/capture/spans/mapping.hpp"

namespace whence::net::capture {

AttributeMap read_details(AttributeMap const& all, Joining& input, Joining& output) {
  Attributes attributes(all);
  input.add(attributes.messages(Meaning::instructions, "system"));
  input.add(attributes.messages(Meaning::input_messages, "user"));
  output.add(attributes.messages(Meaning::output_messages, "assistant"));
  return attributes.rest();
}

}  // namespace whence::net::capture
