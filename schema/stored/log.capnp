# The commit log's entries, and the answers kept under idempotency keys. Stored in canonical form, a single segment
# without a header. Field numbers are never reused. A digest is SHA-256 as four numbers: bytes 0..7 little-endian first.
@0x9872a198d7daa70e;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("whence::schema::stored::wire");

struct LogEntry {
  tx @0 :UInt64;
  # Transaction id, from 1, without gaps. Never 0 in a stored entry.
  atSeconds @1 :Int64;
  # When it was committed, by the server's clock, never earlier than the entry before: seconds since 1970-01-01T00:00:00Z.
  atNanos @2 :UInt32;
  # Nanoseconds after atSeconds, 0 to 999999999.
  actor @3 :Text;
  # Role of the token that wrote it, then what its client calls itself, or the part of the server that wrote it. What a client
  # calls itself is not checked.
  idempotencyKey @4 :Text;
  # The client's key, at most 255 bytes; null or empty where it gave none.
  previous0 @5 :UInt64;
  # Digest of the entry before (RFC 6962 leaf hash); of the first entry 32 random bytes, the key of ids that are made from texts.
  previous1 @6 :UInt64;
  # Its second quarter.
  previous2 @7 :UInt64;
  # Its third quarter.
  previous3 @8 :UInt64;
  # Its last quarter.
  changes @9 :List(Change);
  # The changes, in the order of applying: puts, then revises, hides, deprecations, expiries, purges. A reader must refuse
  # any other order, and must not assume that a vertex occurs once: one may be put, revised and hidden in one entry.
  who @10 :Text;
  # Name of the token, the certificate or the person that wrote it, as the server has checked it, at most 256 bytes; null
  # or empty where it has none. Entries of earlier versions have none.
  rows0 @11 :UInt64;
  # SHA-256 of the transaction's block in the graph table, before packing.
  rows1 @12 :UInt64;
  # Its second quarter.
  rows2 @13 :UInt64;
  # Its third quarter.
  rows3 @14 :UInt64;
  # Its last quarter.
  reason @15 :Text;
  # Why something was deleted, purged or let expire, where that was given: at most 1,000 characters; else null or empty.
  # It stays when contents go.
}

struct Change {
  vertex @0 :UInt32;
  # Number of the vertex. A reader must not assume that its content is still there: it may have been purged.
  kind @1 :UInt8;
  # 0 put: the vertex is new. 1 deprecate: its unit is deprecated. 2 revise: a further content under the vertex's next
  # revision number. 3 hide: it is deleted; its number is not given again. 4 expire: all contents that it has so far are
  # gone, because they are old. 5 purge: the same, because somebody asked for it. A reader must refuse kinds it does not know.
  digest0 @2 :UInt64;
  # put, revise: the commitment to the content (schema/stored/sealed.hpp). Other kinds: all zero.
  digest1 @3 :UInt64;
  # Its second quarter.
  digest2 @4 :UInt64;
  # Its third quarter.
  digest3 @5 :UInt64;
  # Its last quarter.
}

struct KeptAnswer {
  batch0 @0 :UInt64;
  # Digest of the batch: of its records' fingerprints.
  batch1 @1 :UInt64;
  # Its second quarter.
  batch2 @2 :UInt64;
  # Its third quarter.
  batch3 @3 :UInt64;
  # Its last quarter.
  tx @4 :UInt64;
  # The transaction id that was answered; where nothing changed, the head at that time.
  refs @5 :List(Text);
  # One ref per record, in the batch's order.
  warnings @6 :List(Warning);
  # In the order they were answered.
  isUnchanged @7 :Bool;
  # Whether the batch changed nothing. Default no.

  struct Warning {
    rule @0 :Text;
    # Stable name of the rule.
    path @1 :Text;
    # JSON Pointer from the record; empty for the record itself. Where line is given, the place in the document instead.
    index @2 :UInt32;
    # Place of the record in the batch, from 0; meaningless unless hasIndex.
    hasIndex @3 :Bool;
    # Whether the warning is about one record. Default no.
    seen @4 :Text;
    # The value seen, cut.
    message @5 :Text;
    # For people; a reader must not parse it.
    line @6 :UInt64;
    # Line in an XML document, from 1; 0 where the warning is not about one.
    column @7 :UInt64;
    # Column in characters, from 1; meaningless where line is 0.
  }
}
