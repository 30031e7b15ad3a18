;; The look of object-scanner.ts at a small document, with vector instructions; what it accepts and what it leaves to others is said
;; there. The bytes of this module are in object-scan-module.ts; a test holds the two together.
;;
;; memory: that of the checksum (checksum.wat), which leaves the second half of it to this module. Of what is used of the first half:
;;    160    32 B  16 bytes of ones and 16 of zeros: from 176 - n on, a mask of n bytes
;;   4096  8192 B  the document, and up to 16 bytes behind it, which are overwritten
;; the second half
;;  32768    64 B  16 hashes of names that are looked for
;;  32832   192 B  for each of them: where the name begins, where its value begins (or -1) and where that ends
;;  33024     4 B  the number of the last look
;;  33040   256 B  for each level above the one that is looked at, whether it is an object
;;  36864  8192 B  1024 slots: the look that filled it, the hash of a name

(module
  (import "checksum" "memory" (memory 1 1))
  ;; Where the last one of the document was seen; 0: none.
  (global $backslash (mut i32) (i32.const 0))

  ;; Of a name: hardly ever the same for two of one document.
  (func $hash (export "hash") (param $at i32) (param $bytes i32) (result i32)
    (local $v v128) (local $h i64)
    (local.set $h (i64.extend_i32_u (local.get $bytes)))
    (loop $next
      (local.set $v
        (v128.and
          (v128.load (local.get $at))
          (v128.load
            (i32.sub
              (i32.const 176)
              (select (local.get $bytes) (i32.const 16) (i32.lt_u (local.get $bytes) (i32.const 16)))))))
      (local.set $h (i64.mul (i64.xor (local.get $h) (i64x2.extract_lane 0 (local.get $v))) (i64.const 0x9e3779b97f4a7c15)))
      (local.set $h (i64.rotl (local.get $h) (i64.const 31)))
      (local.set $h (i64.mul (i64.xor (local.get $h) (i64x2.extract_lane 1 (local.get $v))) (i64.const 0xc2b2ae3d27d4eb4f)))
      (local.set $h (i64.rotl (local.get $h) (i64.const 27)))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (if (i32.gt_u (local.get $bytes) (i32.const 16))
        (then
          (local.set $bytes (i32.sub (local.get $bytes) (i32.const 16)))
          (br $next))))
    (i32.wrap_i64 (i64.xor (local.get $h) (i64.shr_u (local.get $h) (i64.const 32)))))

  (func $space (param $at i32) (result i32)
    (local $byte i32)
    (loop $next
      (local.set $byte (i32.load8_u (local.get $at)))
      (if (i32.le_u (local.get $byte) (i32.const 0x20))
        (then
          (if
            (i32.or
              (i32.or (i32.eq (local.get $byte) (i32.const 0x20)) (i32.eq (local.get $byte) (i32.const 0x0a)))
              (i32.or (i32.eq (local.get $byte) (i32.const 0x0d)) (i32.eq (local.get $byte) (i32.const 0x09))))
            (then
              (local.set $at (i32.add (local.get $at) (i32.const 1)))
              (br $next))))))
    (local.get $at))

  ;; The place behind the closing quote; -1 when there is none, or something in the string may not stand there. The zeros behind the
  ;; document are such a thing.
  (func $string (param $at i32) (result i32)
    (local $v v128) (local $found i32) (local $byte i32)
    (loop $next
      (local.set $v (v128.load (local.get $at)))
      (local.set $found
        (i8x16.bitmask
          (v128.or
            (v128.or
              (i8x16.eq (local.get $v) (v128.const i32x4 0x22222222 0x22222222 0x22222222 0x22222222))
              (i8x16.eq (local.get $v) (v128.const i32x4 0x5c5c5c5c 0x5c5c5c5c 0x5c5c5c5c 0x5c5c5c5c)))
            (i8x16.lt_u (local.get $v) (v128.const i32x4 0x20202020 0x20202020 0x20202020 0x20202020)))))
      (if (i32.eqz (local.get $found))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br $next)))
      (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $found))))
      (local.set $byte (i32.load8_u (local.get $at)))
      (if (i32.eq (local.get $byte) (i32.const 0x22))
        (then (return (i32.add (local.get $at) (i32.const 1)))))
      (if (i32.ne (local.get $byte) (i32.const 0x5c))
        (then (return (i32.const -1))))
      (global.set $backslash (local.get $at))
      (local.set $byte (i32.load8_u offset=1 (local.get $at)))
      (if (i32.eq (local.get $byte) (i32.const 0x75))
        (then
          (if
            (i32.eqz
              (i32.and
                (i32.and (call $isHex (i32.load8_u offset=2 (local.get $at))) (call $isHex (i32.load8_u offset=3 (local.get $at))))
                (i32.and (call $isHex (i32.load8_u offset=4 (local.get $at))) (call $isHex (i32.load8_u offset=5 (local.get $at))))))
            (then (return (i32.const -1))))
          (local.set $at (i32.add (local.get $at) (i32.const 6)))
          (br $next)))
      (if (i32.eqz (call $isEscape (local.get $byte)))
        (then (return (i32.const -1))))
      (local.set $at (i32.add (local.get $at) (i32.const 2)))
      (br $next))
    (unreachable))

  (func $isHex (param $byte i32) (result i32)
    (i32.or
      (i32.lt_u (i32.sub (local.get $byte) (i32.const 0x30)) (i32.const 10))
      (i32.lt_u (i32.sub (i32.or (local.get $byte) (i32.const 0x20)) (i32.const 0x61)) (i32.const 6))))

  ;; " \ / b f n r t
  (func $isEscape (param $byte i32) (result i32)
    (i32.or
      (i32.or
        (i32.or (i32.eq (local.get $byte) (i32.const 0x22)) (i32.eq (local.get $byte) (i32.const 0x5c)))
        (i32.or (i32.eq (local.get $byte) (i32.const 0x2f)) (i32.eq (local.get $byte) (i32.const 0x62))))
      (i32.or
        (i32.or (i32.eq (local.get $byte) (i32.const 0x66)) (i32.eq (local.get $byte) (i32.const 0x6e)))
        (i32.or (i32.eq (local.get $byte) (i32.const 0x72)) (i32.eq (local.get $byte) (i32.const 0x74))))))

  (func $digits (param $at i32) (result i32)
    (loop $next
      (if (i32.lt_u (i32.sub (i32.load8_u (local.get $at)) (i32.const 0x30)) (i32.const 10))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $next))))
    (local.get $at))

  ;; The place behind a number, true, false or null; -1 when there is none of them, or a number may overflow.
  (func $scalar (param $at i32) (param $byte i32) (result i32)
    (local $first i32)
    (if (i32.eq (local.get $byte) (i32.const 0x74))
      (then
        (return
          (select
            (i32.add (local.get $at) (i32.const 4))
            (i32.const -1)
            (i32.eq (i32.load (local.get $at)) (i32.const 0x65757274))))))
    (if (i32.eq (local.get $byte) (i32.const 0x66))
      (then
        (return
          (select
            (i32.add (local.get $at) (i32.const 5))
            (i32.const -1)
            (i32.eq (i32.load offset=1 (local.get $at)) (i32.const 0x65736c61))))))
    (if (i32.eq (local.get $byte) (i32.const 0x6e))
      (then
        (return
          (select
            (i32.add (local.get $at) (i32.const 4))
            (i32.const -1)
            (i32.eq (i32.load (local.get $at)) (i32.const 0x6c6c756e))))))
    (local.set $first (i32.add (local.get $at) (i32.eq (local.get $byte) (i32.const 0x2d))))
    (local.set $at (call $digits (local.get $first)))
    (if
      (i32.or
        (i32.eq (local.get $at) (local.get $first))
        (i32.or
          (i32.gt_u (i32.sub (local.get $at) (local.get $first)) (i32.const 308))
          (i32.and
            (i32.eq (i32.load8_u (local.get $first)) (i32.const 0x30))
            (i32.gt_u (local.get $at) (i32.add (local.get $first) (i32.const 1))))))
      (then (return (i32.const -1))))
    (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x2e))
      (then (return (local.get $at))))
    (local.set $first (i32.add (local.get $at) (i32.const 1)))
    (local.set $at (call $digits (local.get $first)))
    (select (i32.const -1) (local.get $at) (i32.eq (local.get $at) (local.get $first))))

  ;; Whether no name of this look had that hash.
  (func $isNew (param $look i32) (param $hash i32) (result i32)
    (local $slot i32)
    (local.set $slot (i32.shl (i32.and (local.get $hash) (i32.const 1023)) (i32.const 3)))
    (loop $next
      (if (i32.eq (i32.load offset=36864 (local.get $slot)) (local.get $look))
        (then
          (if (i32.eq (i32.load offset=36868 (local.get $slot)) (local.get $hash))
            (then (return (i32.const 0))))
          (local.set $slot (i32.and (i32.add (local.get $slot) (i32.const 8)) (i32.const 8184)))
          (br $next))))
    (i32.store offset=36864 (local.get $slot) (local.get $look))
    (i32.store offset=36868 (local.get $slot) (local.get $hash))
    (i32.const 1))

  ;; Looks at bytes [from, to), an object that nests at most `depthMax` levels deep, for as many names as `wanted`. -1: it is not
  ;; accepted. Otherwise bits: 1, a byte is not ASCII; 2, there is a backslash.
  (func (export "scan") (param $from i32) (param $to i32) (param $depthMax i32) (param $wanted i32) (result i32)
    (local $at i32) (local $end i32) (local $byte i32) (local $depth i32) (local $isObject i32) (local $members i32)
    (local $look i32) (local $name i32) (local $hash i32) (local $i i32)
    (local $found i32) ;; Of the member at the top level that is looked at, if it is wanted: where that is written down. 0: it is not.
    (local $isEmptyAllowed i32) (local $all v128)
    (v128.store (local.get $to) (v128.const i32x4 0 0 0 0))
    (local.set $at (local.get $from))
    (loop $next
      (local.set $all (v128.or (local.get $all) (v128.load (local.get $at))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $to))))
    (local.set $end (i32.mul (local.get $wanted) (i32.const 12)))
    (loop $next
      (i32.store offset=32836 (local.get $i) (i32.const -1))
      (local.set $i (i32.add (local.get $i) (i32.const 12)))
      (br_if $next (i32.lt_u (local.get $i) (local.get $end))))
    ;; Never 0, as in slots that no look has filled.
    (local.set $look (i32.add (i32.load (i32.const 33024)) (i32.const 1)))
    (local.set $look (select (local.get $look) (i32.const 1) (local.get $look)))
    (i32.store (i32.const 33024) (local.get $look))
    (global.set $backslash (i32.const 0))

    (if (i32.ne (i32.load8_u (local.get $from)) (i32.const 0x7b))
      (then (return (i32.const -1))))
    (local.set $depth (i32.const 1))
    (local.set $isObject (i32.const 1))
    (local.set $isEmptyAllowed (i32.const 1))
    (local.set $at (i32.add (local.get $from) (i32.const 1)))
    (loop $value
      (if (i32.le_u (local.tee $byte (i32.load8_u (local.get $at))) (i32.const 0x20))
        (then
          (local.set $at (call $space (local.get $at)))
          (local.set $byte (i32.load8_u (local.get $at)))))
      (block $ended
        ;; A value comes here, or the member it belongs to; or the container that has just been opened is closed.
        (if
          (i32.and
            (local.get $isEmptyAllowed)
            (i32.eq (local.get $byte) (select (i32.const 0x7d) (i32.const 0x5d) (local.get $isObject))))
          (then
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
            (local.set $isObject (i32.load8_u offset=33040 (local.get $depth)))
            (br $ended)))
        (if (local.get $isObject)
          (then
            (if (i32.ne (local.get $byte) (i32.const 0x22))
              (then (return (i32.const -1))))
            (local.set $name (i32.add (local.get $at) (i32.const 1)))
            (local.set $at (call $string (local.get $name)))
            (if (i32.eq (local.get $at) (i32.const -1))
              (then (return (i32.const -1))))
            (if (i32.eq (local.get $depth) (i32.const 1))
              (then
                (local.set $members (i32.add (local.get $members) (i32.const 1)))
                (if
                  (i32.or
                    (i32.or
                      (i32.ge_u (global.get $backslash) (local.get $name))
                      (i32.eq (i32.load8_u (local.get $name)) (i32.const 0x5f)))
                    (i32.gt_u (local.get $members) (i32.const 256)))
                  (then (return (i32.const -1))))
                (local.set $hash
                  (call $hash (local.get $name) (i32.sub (i32.sub (local.get $at) (local.get $name)) (i32.const 1))))
                (if (i32.eqz (call $isNew (local.get $look) (local.get $hash)))
                  (then (return (i32.const -1))))
                (local.set $found (i32.const 0))
                (local.set $end (i32.const 0))
                (loop $next
                  (if (i32.eq (i32.load offset=32768 (i32.shl (local.get $end) (i32.const 2))) (local.get $hash))
                    (then
                      (local.set $found (i32.add (i32.const 32832) (i32.mul (local.get $end) (i32.const 12))))
                      (i32.store (local.get $found) (local.get $name))))
                  (local.set $end (i32.add (local.get $end) (i32.const 1)))
                  (br_if $next (i32.lt_u (local.get $end) (local.get $wanted))))))
            (if (i32.le_u (local.tee $byte (i32.load8_u (local.get $at))) (i32.const 0x20))
              (then
                (local.set $at (call $space (local.get $at)))
                (local.set $byte (i32.load8_u (local.get $at)))))
            (if (i32.ne (local.get $byte) (i32.const 0x3a))
              (then (return (i32.const -1))))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (if (i32.le_u (local.tee $byte (i32.load8_u (local.get $at))) (i32.const 0x20))
              (then
                (local.set $at (call $space (local.get $at)))
                (local.set $byte (i32.load8_u (local.get $at)))))
            (if (i32.and (i32.eq (local.get $depth) (i32.const 1)) (i32.ne (local.get $found) (i32.const 0)))
              (then (i32.store offset=4 (local.get $found) (local.get $at))))))
        (if (i32.eq (i32.or (local.get $byte) (i32.const 0x20)) (i32.const 0x7b))
          (then
            ;; { or [
            (local.set $depth (i32.add (local.get $depth) (i32.const 1)))
            (if (i32.gt_u (local.get $depth) (local.get $depthMax))
              (then (return (i32.const -1))))
            (i32.store8 offset=33039 (local.get $depth) (local.get $isObject))
            (local.set $isObject (i32.eq (local.get $byte) (i32.const 0x7b)))
            (local.set $isEmptyAllowed (i32.const 1))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (br $value)))
        (if (i32.eq (local.get $byte) (i32.const 0x22))
          (then (local.set $at (call $string (i32.add (local.get $at) (i32.const 1)))))
          (else (local.set $at (call $scalar (local.get $at) (local.get $byte)))))
        (if (i32.eq (local.get $at) (i32.const -1))
          (then (return (i32.const -1)))))

      ;; A value has ended: what follows closes containers, or goes on with the next value of one.
      (loop $close
        (if (i32.eqz (local.get $depth))
          (then
            (if (i32.ne (local.get $at) (local.get $to))
              (then (return (i32.const -1))))
            (return
              (i32.or
                (i32.ne (i8x16.bitmask (local.get $all)) (i32.const 0))
                (i32.shl (i32.ne (global.get $backslash) (i32.const 0)) (i32.const 1))))))
        (if (i32.and (i32.eq (local.get $depth) (i32.const 1)) (i32.ne (local.get $found) (i32.const 0)))
          (then
            (i32.store offset=8 (local.get $found) (local.get $at))
            (local.set $found (i32.const 0))))
        (if (i32.le_u (local.tee $byte (i32.load8_u (local.get $at))) (i32.const 0x20))
          (then
            (local.set $at (call $space (local.get $at)))
            (local.set $byte (i32.load8_u (local.get $at)))))
        (if (i32.ne (local.get $byte) (i32.const 0x2c))
          (then
            (if (i32.ne (local.get $byte) (select (i32.const 0x7d) (i32.const 0x5d) (local.get $isObject)))
              (then (return (i32.const -1))))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
            (local.set $isObject (i32.load8_u offset=33040 (local.get $depth)))
            (br $close))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (local.set $isEmptyAllowed (i32.const 0))
      (br $value))
    (unreachable)))
