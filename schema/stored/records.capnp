# Stored records. The struct of each record type is in its folder (schema/records/context/context.capnp, ...); here is what
# holds for all of them, and the form in which a whole record is hashed. Field numbers are never reused.
#
# - Stored is the canonical form, a single segment without a header; a message that is not canonical was not written by us.
# - A record's id is in no struct, nor are the members that it is made of: the graph row has it.
# - Texts are UTF-8. A null text or list is an absent one; an empty one was given empty.
# - Times are instants in UTC; the zone they were given in is not kept.
# - `attributes` is a JSON object as compact text with sorted keys, at most 16384 bytes. A reader must not assume that it
#   knows any member.
@0xac08afd7998d9f25;

using Cxx = import "/capnp/c++.capnp";
using Context = import "../records/context/context.capnp";
using Retrieval = import "../records/retrieval/retrieval.capnp";
$Cxx.namespace("whence::schema::stored::wire");

struct Whole {
  # A record as it was given. Never stored: only hashed, where a batch has an idempotency key.
  type @0 :UInt8;
  # Number of the record type.
  id @1 :Text;
  # Empty where the server was to make one.
  content @2 :Data;
  # The canonical words of the struct of its type.
  uses @3 :List(Use);
  # Of a response: the units used, in the order given.
  manifestJson @4 :Text;
  # Of a response: the manifest that came with it.
  xml @5 :Text;
  # Of an attachment: the text, where it came under that name.
  rank @6 :Int64;
  # Of a retrieval: its rank; 0 where none was given.
  similarity @7 :Float64;
  # Of a retrieval: its similarity; -1 where none was given.
  requestId @8 :Text;
  # Of a retrieval: the request.
  included @9 :List(Included);
  # Of a prompt: the other members of its chunks.

  struct Use {
    unitId @0 :Text;
    # The unit used; empty where another source was.
    weight @1 :Float64;
    # Share of contribution, 0 to 1.
    unit @2 :Context.ContextUnit;
    # The unit itself, where it came within the response.
    ref @3 :Text;
    # The other source, as `Type:id`; null for a unit.
  }

  struct Included {
    content @0 :Text;
    # Null where not given.
    place @1 :Retrieval.Place;
    # Null where not given.
    similarity @2 :Float64;
    # 0 where not given.
    rank @3 :Int64;
    # 0 where not given.
  }
}
