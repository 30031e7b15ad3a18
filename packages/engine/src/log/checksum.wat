;; The checksum of checksum.ts, which says what it is. The bytes of this module are in checksum-module.ts; a test holds the two together.
;;
;; memory: one page
;;      0   128 B  the lanes between two parts
;;    128     4 B  the upper half of the result
;;    160    32 B  16 bytes of ones and 16 of zeros: from 176 - n on, a mask of n bytes
;;   4096  8192 B  small things, put together there
;;  12288 16384 B  a part of what it is the checksum of
;;  32768          for object-scan.wat, which also looks at small things: a memory of its own would take ten gigabytes of addresses as well

(module
  (memory (export "memory") 1 1)
  (data (i32.const 160) "\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff")

  ;; Takes bytes [at, at + bytes), which follow upon as many as `before`; of all parts but the last a multiple of 128.
  ;; Gives the lower half of the result for the last part.
  (func (export "absorb") (param $at i32) (param $bytes i32) (param $before i32) (param $isLast i32) (result i32)
    (local $end i32) (local $rest i32) (local $low i32) (local $high i32)
    (local $t v128) (local $first v128) (local $second v128)
    (local $a0 v128) (local $a1 v128) (local $a2 v128) (local $a3 v128)
    (local $a4 v128) (local $a5 v128) (local $a6 v128) (local $a7 v128)
    (local.set $first (v128.const i32x4 0x9e3779b1 0x9e3779b1 0x9e3779b1 0x9e3779b1))
    (local.set $second (v128.const i32x4 0x85ebca77 0x85ebca77 0x85ebca77 0x85ebca77))
    (if (i32.eqz (local.get $before))
      (then
        (local.set $a0 (v128.const i32x4 0x9e3779b9 0x3c6ef372 0xdaa66d2b 0x78dde6e4))
        (local.set $a1 (v128.const i32x4 0x1715609d 0xb54cda56 0x5384540f 0xf1bbcdc8))
        (local.set $a2 (v128.const i32x4 0x8ff34781 0x2e2ac13a 0xcc623af3 0x6a99b4ac))
        (local.set $a3 (v128.const i32x4 0x08d12e65 0xa708a81e 0x454021d7 0xe3779b90))
        (local.set $a4 (v128.const i32x4 0x81af1549 0x1fe68f02 0xbe1e08bb 0x5c558274))
        (local.set $a5 (v128.const i32x4 0xfa8cfc2d 0x98c475e6 0x36fbef9f 0xd5336958))
        (local.set $a6 (v128.const i32x4 0x736ae311 0x11a25cca 0xafd9d683 0x4e11503c))
        (local.set $a7 (v128.const i32x4 0xec48c9f5 0x8a8043ae 0x28b7bd67 0xc6ef3720)))
      (else
        (local.set $a0 (v128.load offset=0 (i32.const 0)))
        (local.set $a1 (v128.load offset=16 (i32.const 0)))
        (local.set $a2 (v128.load offset=32 (i32.const 0)))
        (local.set $a3 (v128.load offset=48 (i32.const 0)))
        (local.set $a4 (v128.load offset=64 (i32.const 0)))
        (local.set $a5 (v128.load offset=80 (i32.const 0)))
        (local.set $a6 (v128.load offset=96 (i32.const 0)))
        (local.set $a7 (v128.load offset=112 (i32.const 0)))))

    (local.set $end (i32.add (local.get $at) (i32.and (local.get $bytes) (i32.const -128))))
    (block $done
      (loop $next
        (br_if $done (i32.eq (local.get $at) (local.get $end)))
        (local.set $t (i32x4.add (local.get $a0) (i32x4.mul (v128.load offset=0 (local.get $at)) (local.get $second))))
        (local.set $a0
          (i32x4.mul
            (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
            (local.get $first)))
        (local.set $t (i32x4.add (local.get $a1) (i32x4.mul (v128.load offset=16 (local.get $at)) (local.get $second))))
        (local.set $a1
          (i32x4.mul
            (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
            (local.get $first)))
        (local.set $t (i32x4.add (local.get $a2) (i32x4.mul (v128.load offset=32 (local.get $at)) (local.get $second))))
        (local.set $a2
          (i32x4.mul
            (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
            (local.get $first)))
        (local.set $t (i32x4.add (local.get $a3) (i32x4.mul (v128.load offset=48 (local.get $at)) (local.get $second))))
        (local.set $a3
          (i32x4.mul
            (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
            (local.get $first)))
        (local.set $t (i32x4.add (local.get $a4) (i32x4.mul (v128.load offset=64 (local.get $at)) (local.get $second))))
        (local.set $a4
          (i32x4.mul
            (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
            (local.get $first)))
        (local.set $t (i32x4.add (local.get $a5) (i32x4.mul (v128.load offset=80 (local.get $at)) (local.get $second))))
        (local.set $a5
          (i32x4.mul
            (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
            (local.get $first)))
        (local.set $t (i32x4.add (local.get $a6) (i32x4.mul (v128.load offset=96 (local.get $at)) (local.get $second))))
        (local.set $a6
          (i32x4.mul
            (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
            (local.get $first)))
        (local.set $t (i32x4.add (local.get $a7) (i32x4.mul (v128.load offset=112 (local.get $at)) (local.get $second))))
        (local.set $a7
          (i32x4.mul
            (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
            (local.get $first)))
        (local.set $at (i32.add (local.get $at) (i32.const 128)))
        (br $next)))

    (if (i32.eqz (local.get $isLast))
      (then
        (v128.store offset=0 (i32.const 0) (local.get $a0))
        (v128.store offset=16 (i32.const 0) (local.get $a1))
        (v128.store offset=32 (i32.const 0) (local.get $a2))
        (v128.store offset=48 (i32.const 0) (local.get $a3))
        (v128.store offset=64 (i32.const 0) (local.get $a4))
        (v128.store offset=80 (i32.const 0) (local.get $a5))
        (v128.store offset=96 (i32.const 0) (local.get $a6))
        (v128.store offset=112 (i32.const 0) (local.get $a7))
        (return (i32.const 0))))

    ;; Whole vectors of what is left go into the lanes they would have gone to, the last bytes, with zeros behind them, into
    ;; the last ones, which have none of the others.
    (local.set $rest (i32.and (local.get $bytes) (i32.const 127)))
    (block $whole
      (br_if $whole (i32.lt_u (local.get $rest) (i32.const 16)))
      (local.set $t (i32x4.add (local.get $a0) (i32x4.mul (v128.load offset=0 (local.get $at)) (local.get $second))))
      (local.set $a0
        (i32x4.mul
          (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
          (local.get $first)))
      (br_if $whole (i32.lt_u (local.get $rest) (i32.const 32)))
      (local.set $t (i32x4.add (local.get $a1) (i32x4.mul (v128.load offset=16 (local.get $at)) (local.get $second))))
      (local.set $a1
        (i32x4.mul
          (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
          (local.get $first)))
      (br_if $whole (i32.lt_u (local.get $rest) (i32.const 48)))
      (local.set $t (i32x4.add (local.get $a2) (i32x4.mul (v128.load offset=32 (local.get $at)) (local.get $second))))
      (local.set $a2
        (i32x4.mul
          (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
          (local.get $first)))
      (br_if $whole (i32.lt_u (local.get $rest) (i32.const 64)))
      (local.set $t (i32x4.add (local.get $a3) (i32x4.mul (v128.load offset=48 (local.get $at)) (local.get $second))))
      (local.set $a3
        (i32x4.mul
          (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
          (local.get $first)))
      (br_if $whole (i32.lt_u (local.get $rest) (i32.const 80)))
      (local.set $t (i32x4.add (local.get $a4) (i32x4.mul (v128.load offset=64 (local.get $at)) (local.get $second))))
      (local.set $a4
        (i32x4.mul
          (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
          (local.get $first)))
      (br_if $whole (i32.lt_u (local.get $rest) (i32.const 96)))
      (local.set $t (i32x4.add (local.get $a5) (i32x4.mul (v128.load offset=80 (local.get $at)) (local.get $second))))
      (local.set $a5
        (i32x4.mul
          (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
          (local.get $first)))
      (br_if $whole (i32.lt_u (local.get $rest) (i32.const 112)))
      (local.set $t (i32x4.add (local.get $a6) (i32x4.mul (v128.load offset=96 (local.get $at)) (local.get $second))))
      (local.set $a6
        (i32x4.mul
          (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
          (local.get $first))))
    (local.set $at (i32.add (local.get $at) (i32.and (local.get $rest) (i32.const -16))))
    (local.set $rest (i32.and (local.get $rest) (i32.const 15)))
    (local.set $t (i32x4.add (local.get $a7) (i32x4.mul (v128.and (v128.load (local.get $at)) (v128.load (i32.sub (i32.const 176) (local.get $rest)))) (local.get $second))))
    (local.set $a7
      (i32x4.mul
        (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
        (local.get $first)))

    ;; All lanes into four, with the length; the four into two halves.
    (local.set $t (i32x4.add (local.get $a0) (i32x4.mul (local.get $a1) (local.get $second))))
    (local.set $a0
      (i32x4.mul
        (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
        (local.get $first)))
    (local.set $t (i32x4.add (local.get $a0) (i32x4.mul (local.get $a2) (local.get $second))))
    (local.set $a0
      (i32x4.mul
        (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
        (local.get $first)))
    (local.set $t (i32x4.add (local.get $a0) (i32x4.mul (local.get $a3) (local.get $second))))
    (local.set $a0
      (i32x4.mul
        (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
        (local.get $first)))
    (local.set $t (i32x4.add (local.get $a0) (i32x4.mul (local.get $a4) (local.get $second))))
    (local.set $a0
      (i32x4.mul
        (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
        (local.get $first)))
    (local.set $t (i32x4.add (local.get $a0) (i32x4.mul (local.get $a5) (local.get $second))))
    (local.set $a0
      (i32x4.mul
        (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
        (local.get $first)))
    (local.set $t (i32x4.add (local.get $a0) (i32x4.mul (local.get $a6) (local.get $second))))
    (local.set $a0
      (i32x4.mul
        (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
        (local.get $first)))
    (local.set $t (i32x4.add (local.get $a0) (i32x4.mul (local.get $a7) (local.get $second))))
    (local.set $a0
      (i32x4.mul
        (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
        (local.get $first)))
    (local.set $t (i32x4.add (local.get $a0) (i32x4.mul (i32x4.splat (i32.add (local.get $before) (local.get $bytes))) (local.get $second))))
    (local.set $a0
      (i32x4.mul
        (v128.or (i32x4.shl (local.get $t) (i32.const 13)) (i32x4.shr_u (local.get $t) (i32.const 19)))
        (local.get $first)))
    (local.set $low (i32x4.extract_lane 0 (local.get $a0)))
    (local.set $low (i32.add (local.get $low) (i32.mul (i32x4.extract_lane 1 (local.get $a0)) (i32.const 0x85ebca77))))
    (local.set $low (i32.mul (i32.rotl (local.get $low) (i32.const 13)) (i32.const 0x9e3779b1)))
    (local.set $low (i32.add (local.get $low) (i32.mul (i32x4.extract_lane 2 (local.get $a0)) (i32.const 0x85ebca77))))
    (local.set $low (i32.mul (i32.rotl (local.get $low) (i32.const 13)) (i32.const 0x9e3779b1)))
    (local.set $low (i32.add (local.get $low) (i32.mul (i32x4.extract_lane 3 (local.get $a0)) (i32.const 0x85ebca77))))
    (local.set $low (i32.mul (i32.rotl (local.get $low) (i32.const 13)) (i32.const 0x9e3779b1)))
    (local.set $high (i32x4.extract_lane 3 (local.get $a0)))
    (local.set $high (i32.add (local.get $high) (i32.mul (i32x4.extract_lane 2 (local.get $a0)) (i32.const 0x85ebca77))))
    (local.set $high (i32.mul (i32.rotl (local.get $high) (i32.const 13)) (i32.const 0x9e3779b1)))
    (local.set $high (i32.add (local.get $high) (i32.mul (i32x4.extract_lane 1 (local.get $a0)) (i32.const 0x85ebca77))))
    (local.set $high (i32.mul (i32.rotl (local.get $high) (i32.const 13)) (i32.const 0x9e3779b1)))
    (local.set $high (i32.add (local.get $high) (i32.mul (i32x4.extract_lane 0 (local.get $a0)) (i32.const 0x85ebca77))))
    (local.set $high (i32.mul (i32.rotl (local.get $high) (i32.const 13)) (i32.const 0x9e3779b1)))
    (local.set $low (i32.mul (i32.xor (local.get $low) (i32.shr_u (local.get $low) (i32.const 15))) (i32.const 0x85ebca77)))
    (local.set $low (i32.mul (i32.xor (local.get $low) (i32.shr_u (local.get $low) (i32.const 13))) (i32.const 0xc2b2ae3d)))
    (local.set $low (i32.xor (local.get $low) (i32.shr_u (local.get $low) (i32.const 16))))
    (local.set $high (i32.mul (i32.xor (local.get $high) (i32.shr_u (local.get $high) (i32.const 15))) (i32.const 0x85ebca77)))
    (local.set $high (i32.mul (i32.xor (local.get $high) (i32.shr_u (local.get $high) (i32.const 13))) (i32.const 0xc2b2ae3d)))
    (local.set $high (i32.xor (local.get $high) (i32.shr_u (local.get $high) (i32.const 16))))
    (i32.store (i32.const 128) (local.get $high))
    (local.get $low)))
